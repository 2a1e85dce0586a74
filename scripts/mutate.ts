/**
 * Mutation testing: plants random mistakes in the sources, one at a time, and runs the tests that cover the line until one fails. A mistake
 * that no test notices survives; the report names its place. The sources themselves remain unchanged.
 *
 *     npm run mutate -- [--path PATH] [--changed] [--since main] [--seed N] [--count N] [--tests N] [--workers N] [--report FILE]
 *       [--statements LIST] [--coverage]
 *
 * - `--path` may be given several times (default: `src`, `client`, `adapters`, `adopt`, `server`).
 * - `--changed` plants only in lines that changed since the commit `--since`.
 * - `--tests`: of the tests that cover a line, at most so many of the nearest run. The coverage of a test file is collected the first time,
 *   and when the file changes.
 * - `--report FILE` plants the mistakes again that the output of an earlier run, in this file, lists as survivors.
 * - `--statements 1-50,199` plants mistakes in the lines that the tests of a statement run and few others do, and runs these tests only. It
 *   fails if they notice none of the mistakes of a statement.
 * - `--coverage` collects that of all anew, which takes half an hour, and does nothing else.
 */
import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createCompiler } from './mutate/compiler.ts';
import { collect, readCoverage } from './mutate/coverage.ts';
import type { Mutant } from './mutate/mutant.ts';
import { mutantsOf } from './mutate/mutants.ts';
import { changedLines, sampleOf } from './mutate/sample.ts';
import { prove, statementsIn } from './mutate/statements.ts';
import { createTrial } from './mutate/trial.ts';
import { isLong, isShared, needsPostgres, root, testFiles } from './test-files.ts';

const { values } = parseArgs({
  options: {
    path: { type: 'string', multiple: true, default: ['src', 'client', 'adapters', 'adopt', 'server'] },
    changed: { type: 'boolean', default: false },
    since: { type: 'string', default: 'main' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
    count: { type: 'string', default: '20' },
    tests: { type: 'string', default: '60' },
    workers: { type: 'string', default: String(availableParallelism()) },
    report: { type: 'string' },
    statements: { type: 'string' },
    coverage: { type: 'boolean', default: false },
  },
});

/** Runs a task for each item, a few at the same time. */
const eachOf = async <Item>(items: readonly Item[], task: (item: Item, index: number) => Promise<void>): Promise<void> => {
  const queue = items.entries();
  await Promise.all(
    Array.from({ length: Number(values.workers) }, async () => {
      for (const [index, item] of queue) await task(item, index);
    }),
  );
};

// The long tests and those of the built package and the documents take too long for each mistake, and find few that the others do not.
const tests = testFiles.filter((file) => !isLong(file) && !needsPostgres(file) && !/^test\/(package|console|docs|types)\//.test(file));
const uncollected = values.coverage ? tests : readCoverage(tests).missing;
if (uncollected.length > 0) console.log(`collecting the coverage of ${uncollected.length} test files`);
const FILES_A_PROCESS = 30;
const separate = uncollected.filter((test) => !isShared(test)).map((test) => [test]);
const shared = uncollected.filter(isShared);
const collecting: (readonly string[])[] = [];
while (shared.length > 0) collecting.push(shared.splice(0, FILES_A_PROCESS));
collecting.push(...separate);
await eachOf(collecting, async (files, index) => {
  await collect(files);
  console.log(`${index + 1} of ${collecting.length} processes`);
});
if (values.coverage) process.exit();

const sources = new Map(
  globSync('{src,adapters,server}/**/*.ts', { cwd: root }).map((file) => [
    file.replaceAll('\\', '/'),
    readFileSync(join(root, file), 'utf8'),
  ]),
);
const { coverage } = readCoverage(tests);
if (values.statements !== undefined) {
  const unproved: string[] = [];
  await eachOf(statementsIn(values.statements), async (statement) => {
    const { line, isProved } = await prove(statement, tests, sources, coverage, Number(values.seed));
    console.log(line);
    if (!isProved) unproved.push(line);
  });
  console.log(`seed ${values.seed}: ${unproved.length} statements are not proved`);
  process.exit(unproved.length > 0 ? 1 : 0);
}

const changed = values.changed ? changedLines(values.since) : undefined;
const isWithin = (file: string): boolean => values.path.some((path) => file === path || file.startsWith(`${path.replace(/\/$/, '')}/`));
const placeOf = ({ file, line, mistake }: Mutant): string => `${file}:${line} ${mistake}`;
const all = [...sources]
  .filter(([file]) => isWithin(file) && (!changed || changed.has(file)))
  .flatMap(([file, text]) => mutantsOf(file, text))
  .filter(({ file, line }) => !changed || changed.get(file)?.has(line));
/** The places that a report lists as survivors, in either of its forms. */
const survivorsIn = (report: string): ReadonlySet<string> =>
  new Set(
    readFileSync(report, 'utf8')
      .split('\n')
      .map((line) => line.replace(/: survives \d+ of \d+ test files$/, '')),
  );
const former = values.report === undefined ? undefined : survivorsIn(values.report);
const mutants = former ? all.filter((mutant) => former.has(placeOf(mutant))) : sampleOf(all, Number(values.count), Number(values.seed));

const trial = createTrial(sources, coverage, Number(values.tests));
const survivors: Mutant[] = [];
await eachOf(mutants, async (mutant) => {
  const { noticed, ran, covering } = await trial(mutant);
  console.log(`${placeOf(mutant)}: ${noticed ? `noticed by '${noticed.name}'` : `survives ${ran} of ${covering} test files`}`);
  if (!noticed) survivors.push(mutant);
});

// Only survivors are compiled, which costs more than most tests.
const compiler = createCompiler();
const silent = survivors.filter((mutant) => compiler.refusalOf(mutant) === undefined);
const noticed = mutants.length - silent.length;
console.log(
  `seed ${values.seed}: ${noticed} of ${mutants.length} mistakes are noticed (${Math.round((100 * noticed) / mutants.length)} per cent), ${survivors.length - silent.length} of them by the compiler; these survive:`,
);
for (const mutant of silent) console.log(placeOf(mutant));
