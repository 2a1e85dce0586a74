import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isShared, root } from '../test-files.ts';
import type { Coverage } from './coverage.ts';
import type { Failure } from './first-failure.ts';
import type { Mutant } from './mutant.ts';
import { runTests } from './run-tests.ts';

export interface Outcome {
  readonly mutant: Mutant;
  readonly noticed: Failure | undefined;
  /** The test files that ran, and those that cover the line. */
  readonly ran: number;
  readonly covering: number;
}

/** Test files that may run in one process, in the first and in each further one: most mistakes are noticed by the nearest tests. */
const TOGETHER = [4, 12, 24];
const PLANT = pathToFileURL(join(root, 'scripts/mutate/plant.ts')).href;

/** The environment in which tests run with a mutant. */
export const planted = (mutant: Mutant): Readonly<Record<string, string>> => ({
  MUTANT: JSON.stringify(mutant),
  NODE_OPTIONS: `--disable-warning=ExperimentalWarning --import=${PLANT}`,
  ...(mutant.file.startsWith('adapters/storage/kysely/') ? { STORES: 'memory,sqlite' } : {}),
});

/**
 * @param sources the texts of all source files by path
 * @param maxTests the largest number of test files to run for a mutant
 */
export const createTrial = (sources: ReadonlyMap<string, string>, coverage: Coverage, maxTests: number) => {
  /** Tests of the line; for code at the top of a module, tests of the lines that name what it declares. */
  const covering = ({ file, line, declared }: Mutant): readonly string[] => {
    const direct = coverage.testsOf(file, [line]);
    if (direct.length > 0) return direct;
    const named =
      declared.length > 0 ? new RegExp(`\\b(?:${declared.map((name) => name.replaceAll('$', '\\$')).join('|')})\\b`) : undefined;
    const users = new Set(
      [...sources].flatMap(([user, text]) => {
        if (!named?.test(text)) return [];
        const lines = text.split('\n').flatMap((content, index) => (named.test(content) ? [index + 1] : []));
        return coverage.testsOf(user, lines);
      }),
    );
    return users.size > 0 ? [...users] : coverage.testsOf(file, [...Array(sources.get(file)?.split('\n').length ?? 0).keys()]);
  };

  return async (mutant: Mutant): Promise<Outcome> => {
    const all = covering(mutant);
    const words = wordsOf(mutant.file);
    const near = (test: string): number => wordsOf(test).filter((word) => words.includes(word)).length;
    const tests = all
      .toSorted((a, b) => near(b) - near(a) || coverage.breadthOf(a) - coverage.breadthOf(b) || (a < b ? -1 : 1))
      .slice(0, maxTests);
    let ran = 0;
    for (const files of inProcesses(tests)) {
      const noticed = await runTests(files, planted(mutant));
      ran += files.length;
      if (noticed) return { mutant, noticed, ran, covering: all.length };
    }
    return { mutant, noticed: undefined, ran, covering: all.length };
  };
};

/** The words of a path, in the singular. */
const wordsOf = (path: string): readonly string[] => [
  ...new Set(
    path
      .replace(/(\.test)?\.ts$/, '')
      .split(/[/-]/)
      .slice(1)
      .map((word) => word.replace(/s$/, '')),
  ),
];

/** Groups files that may share a process. The order remains about the same. */
const inProcesses = (tests: readonly string[]): readonly (readonly string[])[] => {
  const processes: (readonly string[])[] = [];
  const shared = tests.filter(isShared);
  const separate = tests.filter((test) => !isShared(test));
  for (let turn = 0; shared.length > 0; turn++) processes.push(shared.splice(0, TOGETHER[turn] ?? TOGETHER.at(-1)));
  // The nearest tests first, be they separate or not.
  const [nearest] = tests;
  return nearest !== undefined && isShared(nearest)
    ? [...processes, ...separate.map((test) => [test])]
    : [...separate.map((test) => [test]), ...processes];
};
