/**
 * Runs the tests: all but the long ones (`npm test`), only the long ones (`npm run test:long`, part of `.ci/run`), or those that PostgreSQL must pass
 * (`.ci/postgres`).
 * Half of the cost of a test file is loading and compiling the sources, so isolated files share a few processes. Tests that open sockets, start processes or
 * observe their own memory run in separate processes.
 * Each process writes its results to a separate file, which `scripts/specification.ts` reads.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { LONG } from './long-tests.ts';
import { isLong, isShared, needsPostgres, OF_SERVERS, root, testFiles } from './test-files.ts';

const MINUTE = 60_000;
const PRELOAD = pathToFileURL(join(import.meta.dirname, 'without-promise-hooks.ts')).href;

/** Time limits of a test and of a whole process, in minutes, on a busy machine. Without the latter, a failed test could keep its process alive. */
const LIMITS = { short: { test: 5, whole: 40 }, long: { test: 15, whole: 60 } } as const;
type Limits = (typeof LIMITS)[keyof typeof LIMITS];

/** Tests that open a network for each operation, and are only about input, responses and events, which are the same on every store. */
const NOT_ON_POSTGRES = [
  'test/scenarios/attacks-on-secrets.test.ts',
  'test/scenarios/bad-input.test.ts',
  'test/security/keys-named-proto.test.ts',
];

/**
 * The tests that PostgreSQL must pass in addition to the scenarios. Two are excluded: dear questions, which are refused before they reach a store, and floods of
 * logins, which are counted in iterations of the event loop: a database behind a socket takes an unpredictable number of them.
 */
const ON_POSTGRES =
  /^test\/(conformance\/postgres|security\/(?!floods-of-logins|dear-questions).*|adapters\/kysely\/(postgres-.*|newer-release|plan|side-by-side)|contract\/fields|examples\/(one-network|postgres.*)|docs\/(guides|readme|worker))\.test\.ts$/;

interface Run {
  /** Part of the name of the results file: `test-results<name>.jsonl`. */
  readonly name: string;
  readonly options: readonly string[];
  readonly files: readonly string[];
  readonly limits: Limits;
}

/** True if `STORES` decides on which stores the tests of a file run. */
const choosesStores = (file: string) =>
  !/^test\/(scenarios|security)\//.test(file) ||
  /onEvery\w*Store|\bstores\b(?!\.ts)|postgres/i.test(readFileSync(join(root, file), 'utf8'));
const isOnPostgres = (file: string) =>
  (file.startsWith('test/scenarios/') || ON_POSTGRES.test(file)) && !NOT_ON_POSTGRES.includes(file) && choosesStores(file);

/** Processes that share the isolated files. With more than the machine has cores, none of these is idle when some processes end long before the others. */
const SHARDS = 3;

const SEPARATE = ['--test', '--test-concurrency=2'];
const SHARED = [join(import.meta.dirname, 'shared-tests.ts')];

/** Runs some files in shared processes and, at the same time, the others in a process each, two at a time. */
const parts = (name: string, limits: Limits, shared: readonly string[], separate: readonly string[]): readonly Run[] => [
  { name, options: SEPARATE, files: separate, limits },
  ...Array.from({ length: SHARDS }, (_, part) => ({
    name: `${name}.shared-${part + 1}`,
    options: SHARED,
    files: shared.filter((_, index) => index % SHARDS === part),
    limits,
  })),
];

const suites: Readonly<Record<string, readonly Run[]>> = {
  short: parts(
    '',
    LIMITS.short,
    testFiles.filter(isShared),
    testFiles.filter((file) => !isShared(file) && !isLong(file) && !needsPostgres(file)),
  ),
  // Some of these tests spend most of their time waiting.
  long: [
    {
      name: '.long',
      options: ['--test', '--test-concurrency=3'],
      files: [...LONG, ...testFiles.filter((file) => OF_SERVERS.test(file) && !needsPostgres(file))],
      limits: LIMITS.long,
    },
  ],
  postgres: parts(
    '.postgres',
    LIMITS.long,
    testFiles.filter((file) => isOnPostgres(file) && isShared(file)),
    testFiles.filter((file) => isOnPostgres(file) && !isShared(file)),
  ),
};

/** @returns the output if a test failed */
const run = async ({ name, options, files, limits }: Run, isShown: boolean): Promise<string | undefined> => {
  const reporters = [
    ['spec', 'stdout'],
    ['./scripts/test-results.ts', `test-results${name}.jsonl`],
  ].flatMap(([reporter, destination]) => [`--test-reporter=${reporter}`, `--test-reporter-destination=${destination}`]);
  // The statements that a test proves are test tags (test/specification.ts), which are experimental in Node.
  const flags = ['--disable-warning=ExperimentalWarning', `--import=${PRELOAD}`, `--test-timeout=${limits.test * MINUTE}`];
  const child = spawn(process.execPath, [...flags, ...reporters, ...options, ...files], {
    cwd: root,
    // With this cache, each source is stripped of its types and compiled only once, not by every process that loads it.
    env: { NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compiled'), ...process.env },
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
// The output of the first process is shown as it comes, that of the others when they end.
const failed = (await Promise.all(chosen.map((each, index) => run(each, index === 0)))).filter((output) => output !== undefined);
// Repeated at the end, where they are not lost among the output of the processes that passed.
for (const output of failed) process.stdout.write(output.slice(Math.max(0, output.lastIndexOf('failing tests:'))));
if (failed.length > 0) process.exitCode = 1;
