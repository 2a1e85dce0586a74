/** Statements of the specification that their tests prove: of the mistakes in what these tests alone run, they notice one. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import sections from '../../test/specification.json' with { type: 'json' };
import { statementsClaimedIn } from '../../test/specification.ts';
import { root } from '../test-files.ts';
import { type Coverage, linesOfStatement } from './coverage.ts';
import type { Mutant } from './mutant.ts';
import { mutantsOf } from './mutants.ts';
import { runTests, tagFilter } from './run-tests.ts';
import { sampleOf } from './sample.ts';
import { planted } from './trial.ts';

/** Mistakes to plant for a statement, and among how many lines that few test files run. */
const [MISTAKES, LINES] = [6, 60];

const texts = new Map(
  sections.flatMap(({ statements }) => Object.entries(statements).map(([number, text]) => [Number(number), text ?? ''])),
);

/** The statements of a list such as `1-50,199,300-`. */
export const statementsIn = (list: string): readonly number[] =>
  [...texts.keys()].filter((statement) =>
    list.split(',').some((range) => {
      const [first, last = first] = range.split('-');
      return statement >= Number(first) && statement <= (Number(last) || Number.POSITIVE_INFINITY);
    }),
  );

/** @returns a line of the report, and whether a mistake was noticed */
export const prove = async (
  statement: number,
  tests: readonly string[],
  sources: ReadonlyMap<string, string>,
  coverage: Coverage,
  seed: number,
): Promise<{ readonly line: string; readonly isProved: boolean }> => {
  const files = tests.filter((test) => statementsClaimedIn(readFileSync(join(root, test), 'utf8')).includes(statement));
  const covered = await linesOfStatement(statement, files);
  const rarest = [...covered]
    .flatMap(([file, lines]) => lines.map((line) => ({ file, line, tests: coverage.testsOf(file, [line]).length })))
    .toSorted((a, b) => a.tests - b.tests)
    .slice(0, LINES);
  const mutants = [...Map.groupBy(rarest, ({ file }) => file)].flatMap(([file, lines]) => {
    const numbers = new Set(lines.map(({ line }) => line));
    return mutantsOf(file, sources.get(file) ?? '').filter(({ line }) => numbers.has(line));
  });
  const sample: readonly Mutant[] = sampleOf(mutants, MISTAKES, seed + statement);
  for (const mutant of sample) {
    const noticed = await runTests(files, planted(mutant), { flags: [tagFilter(statement)] });
    if (noticed) return { line: `${statement}: '${noticed.name}' notices ${mutant.file}:${mutant.line} ${mutant.mistake}`, isProved: true };
  }
  return { line: `${statement}: none of ${sample.length} mistakes is noticed: ${texts.get(statement)}`, isProved: false };
};
