/** Runs test files in a process of low priority until the first test fails. */
import { spawn } from 'node:child_process';
import { getPriority, setPriority } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { root } from '../test-files.ts';
import type { Failure } from './first-failure.ts';

const NICENESS = 5;
/** Limits of a test and, on average, of a file: a mistake may make a test endless. */
const LIMITS_MS = { test: 60_000, file: 90_000 };
const PRELOAD = pathToFileURL(join(root, 'scripts/without-promise-hooks.ts')).href;

/** The option of Node with which only those tests run that prove a statement. */
export const tagFilter = (statement: number): string => `--experimental-test-tag-filter=statement-${statement}`;

export interface RunOptions {
  /** More options of Node. */
  readonly flags?: readonly string[];
  /** Imports the files, which are its last arguments. */
  readonly script?: readonly string[];
}

/**
 * @param files run in one process, one after another
 * @param env more variables of the environment
 * @returns the first test that fails; undefined if all pass
 */
export const runTests = async (
  files: readonly string[],
  env: Readonly<Record<string, string>>,
  { flags = [], script = ['scripts/shared-tests.ts'] }: RunOptions = {},
): Promise<Failure | undefined> => {
  const options = [
    ...flags,
    '--disable-warning=ExperimentalWarning',
    `--import=${PRELOAD}`,
    `--test-timeout=${LIMITS_MS.test}`,
    '--test-reporter=./scripts/mutate/first-failure.ts',
    ...script,
  ];
  const child = spawn(process.execPath, [...options, ...files], {
    cwd: root,
    env: { NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compiled'), STORES: 'memory', ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
    // With a group of its own, the servers that tests started end with it.
    detached: true,
  });
  const { pid } = child;
  if (pid === undefined) throw new Error('node could not be started');
  setPriority(pid, Math.max(getPriority(), NICENESS));
  const kill = () => {
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  };
  let isLate = false;
  const deadline = setTimeout(
    () => {
      isLate = true;
      kill();
    },
    LIMITS_MS.file * (files.length + 1),
  );
  const ended = new Promise<void>((done) => child.once('close', () => done()));
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      if (!line.startsWith('{"name":')) continue;
      // Written by first-failure.ts.
      return JSON.parse(line) as Failure;
    }
    await ended;
    if (isLate) return { name: 'the time limit', reason: `${files.join(', ')} did not end` };
    return child.exitCode === 0 ? undefined : { name: 'the process', reason: `exit code ${child.exitCode}` };
  } finally {
    clearTimeout(deadline);
    kill();
    await ended;
  }
};
