/**
 * Runs the tests: all but the long ones (`npm test`), or the long ones alone (`npm run test:long`), which `.ci/run` does.
 * Half of what a test file costs is loading the sources, and letting the engine get to know them: the files that keep to themselves share
 * two processes therefore. What opens sockets, starts processes or looks at the memory of its own has a process to itself.
 * Each process writes its results to a file of its own, where `scripts/specification.ts` finds them.
 */
import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';

const root = resolve(import.meta.dirname, '..');

/** Minutes of processor time between them, on every store; what they find is seldom found by nothing else. */
const LONG: readonly string[] = [
  'test/conformance/sqlite.test.ts',
  'test/contract/operations.test.ts',
  'test/docs/guides.test.ts',
  'test/examples/refusals.test.ts',
  'test/scenarios/bad-input.test.ts',
  'test/scenarios/model.test.ts',
];

/** What waits for ever fails in the end: minutes for one test, on a machine that is busy with other things. */
const MINUTES = { short: 5, long: 15 };

const SHARED = ['--test-isolation=none'];
const APART = ['--test-concurrency=2'];

interface Run {
  readonly name: string;
  readonly options: readonly string[];
  readonly files: readonly string[];
  readonly minutes: number;
}

/** @returns whether all passed */
const run = async ({ name, options, files, minutes }: Run, { isShown }: { readonly isShown: boolean }): Promise<boolean> => {
  const reporters = [
    ['spec', 'stdout'],
    ['./scripts/test-results.ts', `test-results${name}.jsonl`],
  ].flatMap(([reporter, destination]) => [`--test-reporter=${reporter}`, `--test-reporter-destination=${destination}`]);
  const child = spawn(process.execPath, ['--test', `--test-timeout=${minutes * 60_000}`, ...options, ...reporters, ...files], {
    cwd: root,
    // Each source is stripped of its types and compiled once, not again by every process that needs it.
    env: { NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compiled'), ...process.env },
    stdio: ['ignore', isShown ? 'inherit' : 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((done) => child.once('close', done));
  const said = child.stdout ? await text(child.stdout) : '';
  process.stdout.write(said);
  return (await ended) === 0;
};

const tests = globSync('test/**/*.test.ts', { cwd: root }).map((file) => file.replaceAll('\\', '/'));
const isShort = (file: string) => !LONG.includes(file);
const isShared = (file: string) => /^test\/(unit|scenarios)\//.test(file);

const short = async (): Promise<boolean> => {
  const files = tests.filter(isShort);
  const share = (index: number): Run => ({
    name: `.shared-${index}`,
    options: [...SHARED, `--test-shard=${index}/2`],
    files: files.filter(isShared),
    minutes: MINUTES.short,
  });
  const shares = await Promise.all([run(share(1), { isShown: true }), run(share(2), { isShown: false })]);
  const apart = { name: '', options: APART, files: files.filter((file) => !isShared(file)), minutes: MINUTES.short };
  return [...shares, await run(apart, { isShown: true })].every(Boolean);
};

const long = (): Promise<boolean> => run({ name: '.long', options: APART, files: LONG, minutes: MINUTES.long }, { isShown: true });

if (!(await (process.argv.includes('--long') ? long() : short()))) process.exitCode = 1;
