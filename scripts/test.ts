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
import { LONG } from './long-tests.ts';

const MINUTE = 60_000;
const root = resolve(import.meta.dirname, '..');

/** Tests that start the server as a process many times. The short tests include only `server.test.ts`. */
const OF_SERVERS = /^test\/examples\/(?!server\.test)/;

/** Minutes that a test may take, and all of a process, on a machine that is busy with other things. A test that has failed may still keep its process alive. */
const LIMITS = { short: { test: 5, whole: 40 }, long: { test: 15, whole: 60 } } as const;
type Limits = (typeof LIMITS)[keyof typeof LIMITS];

/** They open a network for each operation, and are about what comes in, and what answers and events show: the same on every store. */
const NOT_ON_POSTGRES = ['test/scenarios/attacks-on-secrets.test.ts', 'test/scenarios/bad-input.test.ts'];

/**
 * What PostgreSQL must pass besides the scenarios. Of security tests, those that are about what comes before a store are left out. Floods of logins, too, are
 * counted in turns of the event loop, which a database across a socket does not keep.
 */
const ON_POSTGRES =
  /^test\/(conformance\/postgres|security\/(?!floods-of-logins|cost-of-input|dear-questions|rights|slow-bodies|bodies-in-tiny-chunks|folder-modes|hidden-files-through-links|metrics-for-another-host|outbound-to-loopback|certificate-strength|oidc-pages).*|adapters\/kysely\/(postgres-.*|newer-release|plan|side-by-side)|contract\/fields|examples\/(one-network|postgres.*)|docs\/(guides|readme|worker))\.test\.ts$/;

interface Run {
  /** Part of the name of the file of results: `test-results<name>.jsonl`. */
  readonly name: string;
  readonly options: readonly string[];
  readonly files: readonly string[];
  readonly limits: Limits;
}

const tests = globSync('test/**/*.test.ts', { cwd: root }).map((file) => file.replaceAll('\\', '/'));
const isLong = (file: string) => LONG.includes(file) || OF_SERVERS.test(file);
/** Tests in these folders that observe the process or its event loop run in a process of their own. */
const KEEPS_TO_ITSELF =
  /^test\/(unit|contract|scenarios|security\/(?!bodies-in-tiny-chunks|fat-certificate-chains|floods-of-logins|folder-modes|metrics-for-another-host|outbound-to-loopback|withdrawn-keys))/;
const isShared = (file: string) => KEEPS_TO_ITSELF.test(file) && !isLong(file);
/** Nothing of such a file runs without PostgreSQL. */
const needsPostgres = (file: string) => /\/postgres[^/]*\.test\.ts$/.test(file);
const isOnPostgres = (file: string) => (file.startsWith('test/scenarios/') && !NOT_ON_POSTGRES.includes(file)) || ON_POSTGRES.test(file);

/** The files that share two processes, and beside them those with a process each, two at a time. */
const parts = (name: string, limits: Limits, shared: readonly string[], apart: readonly string[]): readonly Run[] => [
  { name, options: ['--test-concurrency=2'], files: apart, limits },
  ...[1, 2].map((part) => ({
    name: `${name}.shared-${part}`,
    options: ['--test-isolation=none', `--test-shard=${part}/2`],
    files: shared,
    limits,
  })),
];

const suites: Readonly<Record<string, readonly Run[]>> = {
  short: parts(
    '',
    LIMITS.short,
    tests.filter(isShared),
    tests.filter((file) => !isShared(file) && !isLong(file) && !needsPostgres(file)),
  ),
  // Some of them wait for most of their time.
  long: [
    {
      name: '.long',
      options: ['--test-concurrency=3'],
      files: [...LONG, ...tests.filter((file) => OF_SERVERS.test(file) && !needsPostgres(file))],
      limits: LIMITS.long,
    },
  ],
  postgres: parts(
    '.postgres',
    LIMITS.long,
    tests.filter((file) => isOnPostgres(file) && isShared(file)),
    tests.filter((file) => isOnPostgres(file) && !isShared(file)),
  ),
};

/** @returns whether all passed */
const run = async ({ name, options, files, limits }: Run, isShown: boolean): Promise<boolean> => {
  const reporters = [
    ['spec', 'stdout'],
    ['./scripts/test-results.ts', `test-results${name}.jsonl`],
  ].flatMap(([reporter, destination]) => [`--test-reporter=${reporter}`, `--test-reporter-destination=${destination}`]);
  // Statements that a test proves are tags (test/specification.ts), which are experimental in Node.
  const flags = ['--disable-warning=ExperimentalWarning', '--test', `--test-timeout=${limits.test * MINUTE}`];
  const child = spawn(process.execPath, [...flags, ...options, ...reporters, ...files], {
    cwd: root,
    // Each source is stripped of its types and compiled once, not again by every process that needs it.
    env: { NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compiled'), ...process.env },
    stdio: ['ignore', isShown ? 'inherit' : 'pipe', 'inherit'],
  });
  // It then prints the tests that are still running.
  const deadline = setTimeout(() => child.kill('SIGTERM'), limits.whole * MINUTE);
  const ended = new Promise<number | null>((done) => child.once('close', done)).finally(() => clearTimeout(deadline));
  process.stdout.write(child.stdout ? await text(child.stdout) : '');
  return (await ended) === 0;
};

const [suite = 'short'] = process.argv.slice(2);
const chosen = suites[suite];
if (!chosen) throw new TypeError(`there is no suite '${suite}': there are ${Object.keys(suites).join(', ')}`);
// The output of the first is shown at once, that of the others at their end.
const passed = await Promise.all(chosen.map((each, index) => run(each, index === 0)));
if (passed.includes(false)) process.exitCode = 1;
