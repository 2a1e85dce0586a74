/**
 * Runs a suite of tests: `node scripts/test.ts [short|rest|long|all|changed|postgres]`.
 * - `short` (`npm test`): units, scenarios on the memory store, and rights
 * - `rest`: what `short` leaves out: SQLite, and tests that are neither short nor long
 * - `long`: tests that take minutes, or start the server
 * - `all` (`npm run test:all`): these three, one after another
 * - `changed` (`npm run test:changed`): test files that import a file that differs from `main`, or from the commit that `SINCE` names
 * - `postgres` (`.ci/postgres`): what PostgreSQL must pass
 *
 * Half of the cost of a test file is loading and compiling the sources, so isolated files share a few processes. Tests that start
 * processes, or observe their own memory or event loop, run in separate processes. Each process writes its results to a separate file,
 * which `scripts/specification.ts` reads.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { changedTests } from './changed-tests.ts';
import { LONG } from './long-tests.ts';
import { isLong, isShared, isShort, needsPostgres, OF_SERVERS, root, testFiles } from './test-files.ts';

const MINUTE = 60_000;
const PRELOAD = pathToFileURL(join(import.meta.dirname, 'without-promise-hooks.ts')).href;

/**
 * Time limits of a test and of a whole process, in minutes, on a busy machine. Without the latter, a failed test could keep its process
 * alive.
 */
const LIMITS = { short: { test: 5, whole: 40 }, long: { test: 15, whole: 60 } } as const;
type Limits = (typeof LIMITS)[keyof typeof LIMITS];

/** Tests that open a network for each operation, and are only about input, responses and events, which are the same on every store. */
const NOT_ON_POSTGRES = [
  'test/scenarios/attacks-on-secrets.test.ts',
  'test/scenarios/bad-input.test.ts',
  'test/security/keys-named-proto.test.ts',
];

/**
 * Attacks that are refused before a store is asked, for what certificates, tokens, cookies, texts or the rights of the caller are. They
 * prove the same on every store, and no statement of the specification. Attacks with races, filters, pages and records of changes are not
 * among them.
 */
const BEFORE_THE_STORE = [
  ...['a-delegate-reaches-an-administrator', 'a-reader-enrolls-as-another', 'addresses-of-key-sets', 'advisories-of-2-0'],
  ...['algorithms-at-enrollment', 'answers-that-leak', 'api-tokens-at-other-apis', 'api-tokens-by-guessing', 'bounds-of-input'],
  ...['certificates-of-nobody', 'claims-of-rights', 'claims-that-are-absent', 'control-characters-in-claims'],
  ...['documents-of-strangers', 'fat-certificate-chains', 'oidc-beginnings', 'oidc-cross-site-steps'],
  ...['oidc-planted-cookies', 'oidc-sent-to-a-page', 'oidc-steps-of-a-page', 'prompts-before-any-fact', 'reasons-of-strangers'],
  ...['tags-without-a-session', 'undecodable-queries', 'weak-certificates', 'what-parts-may-do'],
].map((name) => `test/security/${name}.test.ts`);

/**
 * The tests that PostgreSQL must pass in addition to the scenarios. Two are excluded: expensive filters, which are refused before they
 * reach a store, and floods of logins, which are counted in iterations of the event loop: a database behind a socket takes an unpredictable
 * number of them.
 */
const ON_POSTGRES =
  /^test\/(conformance\/postgres|security\/(?!floods-of-logins|expensive-filters).*|adapters\/kysely\/(postgres-.*|newer-release|plan|priorities|rolling-schemas|side-by-side)|contract\/fields|examples\/(one-network|postgres.*)|docs\/(guides|readme|worker))\.test\.ts$/;

interface Run {
  /** Part of the name of the results file: `test-results<name>.jsonl`. */
  readonly name: string;
  readonly options: readonly string[];
  readonly files: readonly string[];
  readonly limits: Limits;
  /** The stores of tests that run on every store. `STORES` in the environment decides otherwise. */
  readonly stores: string;
}

/** True if `STORES` decides on which stores the tests of a file run. */
const namesStores = (file: string) => /onEvery\w*Store|\bstores\b(?!\.ts)|postgres/i.test(readFileSync(join(root, file), 'utf8'));
const choosesStores = (file: string) => !/^test\/(scenarios|security)\//.test(file) || namesStores(file);
const isOnPostgres = (file: string) =>
  (file.startsWith('test/scenarios/') || ON_POSTGRES.test(file)) &&
  ![...NOT_ON_POSTGRES, ...BEFORE_THE_STORE].includes(file) &&
  choosesStores(file);

/**
 * Processes that share the isolated files. With more than the machine has cores, none of these is idle when some processes end long before
 * the others.
 */
const SHARDS = 3;

const SEPARATE = ['--test', '--test-concurrency=2'];
const SHARED = [join(import.meta.dirname, 'shared-tests.ts')];

/** Runs some files in shared processes and, at the same time, the others in a process each, two at a time. */
const parts = (name: string, files: readonly string[], limits: Limits, stores: string): readonly Run[] => {
  const shared = files.filter(isShared);
  return [
    { name, options: SEPARATE, files: files.filter((file) => !isShared(file)), limits, stores },
    ...Array.from({ length: SHARDS }, (_, part) => ({
      name: `${name}.shared-${part + 1}`,
      options: SHARED,
      files: shared.filter((_, index) => index % SHARDS === part),
      limits,
      stores,
    })),
  ].filter((run) => run.files.length > 0);
};

const short = testFiles.filter(isShort);
const medium = testFiles.filter((file) => !isShort(file) && !isLong(file) && !needsPostgres(file));

/** The parts of a suite run one after another, the runs of a part at the same time. */
const suites: Readonly<Record<string, () => readonly (readonly Run[])[]>> = {
  short: () => [parts('', short, LIMITS.short, 'memory')],
  // One after the other: on a machine with twice as many processes, browsers miss the time limits of requests.
  rest: () => [parts('.rest', medium, LIMITS.short, 'memory,sqlite'), parts('.sqlite', short.filter(namesStores), LIMITS.short, 'sqlite')],
  // Some of these tests spend most of their time waiting.
  long: () => [
    [
      {
        name: '.long',
        options: ['--test', '--test-concurrency=3'],
        files: [...LONG, ...testFiles.filter((file) => OF_SERVERS.test(file) && !needsPostgres(file))],
        limits: LIMITS.long,
        stores: 'memory,sqlite',
      },
    ],
  ],
  all: () => ['short', 'rest', 'long'].flatMap((name) => suites[name]?.() ?? []),
  changed: () => [
    parts(
      '.changed',
      changedTests(process.env.SINCE ?? 'main').filter((file) => !needsPostgres(file)),
      LIMITS.long,
      'memory',
    ),
  ],
  postgres: () => [parts('.postgres', testFiles.filter(isOnPostgres), LIMITS.long, 'postgres')],
};

/** @returns the output if a test failed */
const run = async ({ name, options, files, limits, stores }: Run, isShown: boolean): Promise<string | undefined> => {
  const reporters = [
    ['spec', 'stdout'],
    ['./scripts/test-results.ts', `test-results${name}.jsonl`],
  ].flatMap(([reporter, destination]) => [`--test-reporter=${reporter}`, `--test-reporter-destination=${destination}`]);
  // The statements that a test proves are test tags (test/specification.ts), which are experimental in Node.
  const flags = ['--disable-warning=ExperimentalWarning', `--import=${PRELOAD}`, `--test-timeout=${limits.test * MINUTE}`];
  const child = spawn(process.execPath, [...flags, ...reporters, ...options, ...files], {
    cwd: root,
    // With this cache, each source is stripped of its types and compiled only once, not by every process that loads it.
    env: { NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compiled'), STORES: stores, ...process.env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (isShown) child.stdout.pipe(process.stdout, { end: false });
  // On SIGTERM, it prints the tests that are still running.
  const deadline = setTimeout(() => child.kill('SIGTERM'), limits.whole * MINUTE);
  const ended = new Promise<number | null>((done) => child.once('close', done)).finally(() => clearTimeout(deadline));
  const output = await text(child.stdout);
  if (!isShown) process.stdout.write(output);
  return (await ended) === 0 ? undefined : output;
};

const [suite = 'short'] = process.argv.slice(2);
const chosen = suites[suite];
if (!chosen) throw new TypeError(`there is no suite '${suite}': there are ${Object.keys(suites).join(', ')}`);
const failed: string[] = [];
for (const part of chosen()) {
  // The output of the first process is shown as it comes, that of the others when they end.
  const outputs = await Promise.all(part.map((each, index) => run(each, index === 0)));
  failed.push(...outputs.filter((output) => output !== undefined));
}
// Repeated at the end, where they are not lost among the output of the processes that passed.
for (const output of failed) process.stdout.write(output.slice(Math.max(0, output.lastIndexOf('failing tests:'))));
if (failed.length > 0) process.exitCode = 1;
