/**
 * Mutation testing of the specification: plants the contrary of a statement in a copy of the sources, and runs the tests that claim to prove the statement
 * (`test/specification.ts`), until one fails. If no test fails, the contrary survives, and the statement is not proved. The contraries are in
 * `scripts/contraries/`; it is an error if a text to replace is no longer in its source. The sources themselves remain unchanged.
 * `npm run contraries [-- --rows 1-50,199] [--workers 2] [--check]`; with `--check`, no tests run, and only the table is compared with the sources.
 * All tests must pass without a contrary. They run on the memory store, unless `STORES` says otherwise.
 */
import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import sections from '../test/specification.json' with { type: 'json' };
import { statementsClaimedIn } from '../test/specification.ts';
import { newWorkspace } from './contraries/plant.ts';
import { type Contrary, contradicted, readContraries } from './contraries/table.ts';
import { LONG } from './long-tests.ts';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1-' },
    workers: { type: 'string', default: String(availableParallelism()) },
    check: { type: 'boolean', default: false },
  },
});

const root = resolve(import.meta.dirname, '..');
const statements = new Map(
  sections.flatMap((section) => Object.entries(section.statements).map(([number, text]) => [Number(number), text ?? ''])),
);

/** True if the option `rows`, such as `1-50,199,300-`, includes a statement. */
const isChosen = (statement: number): boolean =>
  values.rows.split(',').some((range) => {
    const [first, last = first] = range.split('-');
    return statement >= Number(first) && statement <= (Number(last) || Number.POSITIVE_INFINITY);
  });

/** The test files that claim to prove each statement, the quick ones first. */
const claims = Map.groupBy(
  globSync('test/**/*.test.ts', { cwd: root })
    .map((file) => ({ file, source: readFileSync(join(root, file), 'utf8') }))
    .toSorted((a, b) => Number(LONG.includes(a.file)) - Number(LONG.includes(b.file)) || a.source.length - b.source.length)
    .flatMap(({ file, source }) => [...new Set(statementsClaimedIn(source))].map((statement) => ({ statement, file }))),
  ({ statement }) => statement,
);

const contraries = readContraries();
const errors = contraries.flatMap((contrary) => {
  try {
    contradicted(root, contrary);
    return contrary.statements.filter((each) => !statements.has(each)).map((each) => `${contrary.at}: there is no statement ${each}`);
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
});

interface Planting {
  readonly contrary: Contrary;
  readonly statement: number;
}

/** Plants contraries one by one. @param wrong collects those that are not noticed */
const work = async (queue: Planting[], wrong: string[]): Promise<void> => {
  using workspace = newWorkspace(root);
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const { contrary, statement } = next;
    const files = claims.get(statement)?.map(({ file }) => file) ?? [];
    const failure = await workspace.plant(contrary, statement, files);
    const isNoticed = failure?.proves.includes(statement) === true;
    const outcome = isNoticed
      ? `noticed by '${failure.name}'`
      : failure === undefined
        ? `survives: ${statements.get(statement)}`
        : `the tests do not load: ${failure.reason.split('\n')[0]}`;
    const line = `${statement} (${contrary.at}): ${outcome}`;
    console.log(line);
    if (!isNoticed) wrong.push(line);
  }
};

const wrong = [...errors];
if (!values.check && errors.length === 0) {
  const queue = contraries.flatMap((contrary) => contrary.statements.filter(isChosen).map((statement) => ({ contrary, statement })));
  await Promise.all(Array.from({ length: Number(values.workers) }, () => work(queue, wrong)));
}
const withContrary = new Set(contraries.flatMap((contrary) => contrary.statements));
console.log(`${contraries.length} contraries of ${withContrary.size} of ${statements.size} statements`);
if (wrong.length > 0) {
  console.error(wrong.join('\n'));
  process.exitCode = 1;
}
