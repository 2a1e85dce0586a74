/**
 * Runs the tests: all but the long ones (`npm test`), the long ones alone (`npm run test:long`, part of `.ci/run`), or what PostgreSQL must pass
 * (`.ci/postgres`).
 * Half of what a test file costs is loading the sources, and letting the engine get to know them: the files that keep to themselves share
 * two processes therefore. What opens sockets, starts processes or looks at the memory of its own has a process to itself.
 * Each process writes its results to a file of its own, where `scripts/specification.ts` finds them.
 */
import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';

const MINUTE = 60_000;
const root = resolve(import.meta.dirname, '..');

/** Together they take minutes of processor time. Other tests find most of what they find, so they run apart. */
const LONG: readonly string[] = [
  'test/adapters/kysely/consumer-many-kills.test.ts',
  'test/adapters/kysely/host-libraries-everything.test.ts',
  'test/adapters/kysely/own-engine-filters.test.ts',
  'test/adapters/kysely/reseal-kill.test.ts',
  'test/conformance/sqlite.test.ts',
  'test/contract/operations.test.ts',
  'test/docs/guides.test.ts',
  'test/docs/next.test.ts',
  'test/docs/worker.test.ts',
  'test/examples/commands.test.ts',
  'test/examples/refusals.test.ts',
  'test/examples/rolling-upgrade.test.ts',
  'test/scenarios/attacks-on-secrets.test.ts',
  'test/scenarios/bad-input.test.ts',
  'test/scenarios/model.test.ts',
];

/** Minutes that a test may take, and all of a process, on a machine that is busy with other things. A test that has failed may still keep its process alive. */
const LIMITS = { short: { test: 5, whole: 40 }, long: { test: 15, whole: 60 } } as const;
type Limits = (typeof LIMITS)[keyof typeof LIMITS];

/** Opens a network for each operation, and is about what answers and events show: the same on every store. */
const NOT_ON_POSTGRES = ['test/scenarios/attacks-on-secrets.test.ts'];

/**
 * What PostgreSQL must pass besides the scenarios. Of security tests, those that are about what comes before a store are left out. Floods of logins, too, are
 * counted in turns of the event loop, which a database across a socket does not keep.
 */
const ON_POSTGRES =
  /^test\/(conformance\/postgres|security\/(?!floods-of-logins|cost-of-input|rights|slow-bodies|bodies-in-tiny-chunks|folder-modes|certificate-strength|oidc-pages).*|adapters\/kysely\/(postgres-.*|newer-release|plan|side-by-side)|contract\/fields|examples\/(one-network|postgres.*)|docs\/(guides|next|readme|worker))\.test\.ts$/;

interface Run {
  /** Of the file of results: `test-results<name>.jsonl`. */
  readonly name: string;
  readonly options: readonly string[];
  readonly files: readonly string[];
  readonly limits: Limits;
}

const tests = globSync('test/**/*.test.ts', { cwd: root }).map((file) => file.replaceAll('\\', '/'));
const isLong = (file: string) => LONG.includes(file);
const isShared = (file: string) => /^test\/(unit|scenarios)\//.test(file) && !isLong(file);
/** Nothing of such a file runs without PostgreSQL. */
const needsPostgres = (file: string) => /\/postgres[^/]*\.test\.ts$/.test(file);
const isScenario = (file: string) => file.startsWith('test/scenarios/');

/** First the files that share two processes, side by side; then those with a process each, three at a time because some of them wait. */
const steps = (name: string, limits: Limits, shared: readonly string[], apart: readonly string[]): readonly (readonly Run[])[] => [
  [1, 2].map((part) => ({
    name: `${name}.shared-${part}`,
    options: ['--test-isolation=none', `--test-shard=${part}/2`],
    files: shared,
    limits,
  })),
  [{ name, options: ['--test-concurrency=3'], files: apart, limits }],
];

const suites: Readonly<Record<string, readonly (readonly Run[])[]>> = {
  short: steps(
    '',
    LIMITS.short,
    tests.filter(isShared),
    tests.filter((file) => !isShared(file) && !isLong(file) && !needsPostgres(file)),
  ),
  // Some of them wait for most of their time.
  long: [[{ name: '.long', options: ['--test-concurrency=3'], files: LONG, limits: LIMITS.long }]],
  postgres: steps(
    '.postgres',
    LIMITS.long,
    tests.filter((file) => isScenario(file) && isShared(file)),
    tests.filter((file) => ON_POSTGRES.test(file) || (isScenario(file) && isLong(file) && !NOT_ON_POSTGRES.includes(file))),
  ),
};

/** @returns whether all passed */
const run = async ({ name, options, files, limits }: Run, isShown: boolean): Promise<boolean> => {
  const reporters = [
    ['spec', 'stdout'],
    ['./scripts/test-results.ts', `test-results${name}.jsonl`],
  ].flatMap(([reporter, destination]) => [`--test-reporter=${reporter}`, `--test-reporter-destination=${destination}`]);
  // What a test proves is a tag (test/specification.ts), which Node still calls an experiment.
  const flags = ['--disable-warning=ExperimentalWarning', '--test', `--test-timeout=${limits.test * MINUTE}`];
  const child = spawn(process.execPath, [...flags, ...options, ...reporters, ...files], {
    cwd: root,
    // Each source is stripped of its types and compiled once, not again by every process that needs it.
    env: { NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compiled'), ...process.env },
    stdio: ['ignore', isShown ? 'inherit' : 'pipe', 'inherit'],
  });
  // It then tells which tests are still running.
  const deadline = setTimeout(() => child.kill('SIGTERM'), limits.whole * MINUTE);
  const ended = new Promise<number | null>((done) => child.once('close', done)).finally(() => clearTimeout(deadline));
  process.stdout.write(child.stdout ? await text(child.stdout) : '');
  return (await ended) === 0;
};

const [suite = 'short'] = process.argv.slice(2);
const chosen = suites[suite];
if (!chosen) throw new TypeError(`there is no suite '${suite}': there are ${Object.keys(suites).join(', ')}`);
for (const step of chosen) {
  // What the first says is seen at once, what the other says when it is over.
  const passed = await Promise.all(step.map((each, index) => run(each, index === 0)));
  if (passed.includes(false)) process.exitCode = 1;
}
