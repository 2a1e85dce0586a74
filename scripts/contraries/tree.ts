import { execFileSync, spawn } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { statementsClaimedIn } from '../../test/specification.ts';
import type { Failure } from './first-failure.ts';
import { type Contrary, contradicted } from './table.ts';

const NICENESS = 5;
const TEST_TIMEOUT_MS = 120_000;

/** A copy of the project in which contraries are planted, one at a time. */
export interface Tree extends Disposable {
  /** @returns the first test that fails of those that say they prove the statement, or undefined when the contrary survives */
  firstFailure(contrary: Contrary, statement: number): Promise<Failure | undefined>;
}

const copied = (root: string): string => {
  const folder = mkdtempSync(join(tmpdir(), 'contraries-'));
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate', '-z'], {
    cwd: root,
    encoding: 'utf8',
  });
  for (const file of listed.split('\0').filter(Boolean)) cpSync(join(root, file), join(folder, file), { force: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir');
  return folder;
};

/** The test files that claim a statement, the short ones first: they are the quicker ones. */
export const claimsIn = (folder: string): ReadonlyMap<number, readonly string[]> => {
  const sources = globSync('test/**/*.test.ts', { cwd: folder }).map((file) => ({
    file,
    source: readFileSync(join(folder, file), 'utf8'),
  }));
  const claims = sources
    .toSorted((a, b) => a.source.length - b.source.length)
    .flatMap(({ file, source }) => [...new Set(statementsClaimedIn(source))].map((statement) => ({ statement, file })));
  return new Map(
    [...Map.groupBy(claims, ({ statement }) => statement)].map(([statement, each]) => [statement, each.map(({ file }) => file)]),
  );
};

const runTests = async (folder: string, files: readonly string[], statement: number): Promise<Failure | undefined> => {
  const options = [
    '--disable-warning=ExperimentalWarning',
    '--test',
    '--test-isolation=none',
    `--test-timeout=${TEST_TIMEOUT_MS}`,
    `--experimental-test-tag-filter=statement-${statement}`,
    '--test-reporter=./scripts/contraries/first-failure.ts',
  ];
  const child = spawn(process.execPath, [...options, ...files], {
    cwd: folder,
    env: { STORES: 'memory', NODE_COMPILE_CACHE: join(folder, '.compiled'), ...process.env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  if (child.pid !== undefined) setPriority(child.pid, NICENESS);
  const ended = new Promise<void>((done) => child.once('close', () => done()));
  for await (const line of createInterface({ input: child.stdout })) {
    child.kill('SIGKILL');
    await ended;
    // Written by first-failure.ts.
    return JSON.parse(line) as Failure;
  }
  await ended;
  return child.exitCode === 0 ? undefined : { name: `exit code ${child.exitCode}`, proves: [] };
};

export const newTree = (root: string): Tree => {
  const folder = copied(root);
  const claims = claimsIn(folder);
  return {
    firstFailure: async (contrary, statement) => {
      const path = join(folder, contrary.file);
      const source = readFileSync(path, 'utf8');
      writeFileSync(path, contradicted(source, contrary));
      try {
        return await runTests(folder, claims.get(statement) ?? [], statement);
      } finally {
        writeFileSync(path, source);
      }
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
};
