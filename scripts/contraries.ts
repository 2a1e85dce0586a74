/**
 * Mutation testing of the specification: plants the contrary of a statement in a copy of the project, and runs the tests that say they
 * prove the statement (`test/specification.ts`), until one fails. A contrary that no test notices survives: the statement is not proved.
 * The contraries are in `scripts/contraries/`; a text to replace that is no longer in its source is an error of theirs.
 * `npm run contraries [-- --rows 1-50,199] [--workers 2] [--check]`; with `--check` nothing runs, and only the table is held against the sources.
 * It presumes that the tests pass. They run on the memory store, unless `STORES` says otherwise.
 */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import sections from '../test/specification.json' with { type: 'json' };
import { type Contrary, contradicted, readContraries } from './contraries/table.ts';
import { newTree, type Tree } from './contraries/tree.ts';

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

/** From `1-50,199,300-`. */
const isChosen = (statement: number): boolean =>
  values.rows.split(',').some((range) => {
    const [first, last = first] = range.split('-');
    return statement >= Number(first) && statement <= (Number(last) || Number.POSITIVE_INFINITY);
  });

interface Planting {
  readonly contrary: Contrary;
  readonly statement: number;
}

const contraries = readContraries();
const errors = contraries.flatMap((contrary) => {
  try {
    contradicted(readFileSync(join(root, contrary.file), 'utf8'), contrary);
    return contrary.statements.filter((each) => !statements.has(each)).map((each) => `${contrary.at}: there is no statement ${each}`);
  } catch (error) {
    return [Error.isError(error) ? error.message : String(error)];
  }
});

/** @returns what is wrong, if anything */
const plant = async (tree: Tree, { contrary, statement }: Planting): Promise<string | undefined> => {
  const failure = await tree.firstFailure(contrary, statement);
  if (failure?.proves.includes(statement)) {
    console.log(`${statement} (${contrary.at}): noticed by '${failure.name}'`);
    return undefined;
  }
  const wrong = failure === undefined ? `survives: ${statements.get(statement)}` : `the tests do not load: ${failure.name}`;
  console.log(`${statement} (${contrary.at}): ${wrong}`);
  return `${statement} (${contrary.at}): ${wrong}`;
};

const work = async (queue: Planting[], wrong: string[]): Promise<void> => {
  using tree = newTree(root);
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const found = await plant(tree, next);
    if (found !== undefined) wrong.push(found);
  }
};

const wrong = [...errors];
if (!values.check && errors.length === 0) {
  const queue = contraries.flatMap((contrary) => contrary.statements.filter(isChosen).map((statement) => ({ contrary, statement })));
  await Promise.all(Array.from({ length: Number(values.workers) }, () => work(queue, wrong)));
}
const contradictable = new Set(contraries.flatMap((contrary) => contrary.statements));
console.log(`${contraries.length} contraries of ${contradictable.size} of ${statements.size} statements`);
if (wrong.length > 0) {
  console.error(wrong.join('\n'));
  process.exitCode = 1;
}
