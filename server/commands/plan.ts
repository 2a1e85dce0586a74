import type { StatePlan } from '../../src/index.ts';
import type { OptionValues } from '../arguments.ts';
import { printable, StartFailure } from '../failure.ts';
import { writeAtomically } from '../files.ts';
import { defineCommand } from './command.ts';
import { readDocument, readLines } from './state-file.ts';
import { ABOUT_SOURCE, source, withState } from './state-source.ts';

/** The options that select a document. */
export const documentOptions = {
  document: {
    value: 'FILE',
    about: 'document in YAML or JSON, or a part of it; - is standard input. May be given several times',
    list: 'repeated',
  },
  lines: { value: 'FILE', about: 'instead of --document: a document in lines, as export --format lines writes it; - is standard input' },
  owner: { value: 'NAME', about: 'the owner label of a document in lines' },
  prune: { about: 'delete entities that have the owner label of the document but are not in it' },
} as const;

/**
 * Reads the document that the options select.
 * @returns the input of the operation: for a document in lines, or for one in YAML or JSON
 * @throws StartFailure for options that contradict each other
 */
export const givenDocument = async (given: OptionValues<keyof typeof documentOptions>) => {
  const [file, owner] = [given.get('lines'), given.get('owner')];
  const prune = given.has('prune') ? { prune: true } : {};
  if (file === undefined && owner !== undefined)
    throw new StartFailure('--owner belongs to --lines FILE: other documents contain their owner');
  if (file !== undefined && given.has('document')) throw new StartFailure('give either --document FILE or --lines FILE');
  if (file === undefined) return { body: { document: await readDocument(given.all('document')), ...prune } };
  return { lines: { body: await readLines(file), ...(owner === undefined ? {} : { owner }), ...prune } };
};

/** The exit status of `plan` if there is a difference. */
const DIFFERENT = 2;

export const planCommand = defineCommand({
  summary: 'show the changes that would make a network match a document; change nothing',
  options: { ...documentOptions, out: { value: 'FILE', about: 'write the plan to this file, for apply --plan FILE' }, ...source },
  notes: `Exit status: 0 if there is no difference, 2 if there is one, 1 if the command failed. ${ABOUT_SOURCE}`,
  run: async (given, environment) => {
    const read = await givenDocument(given);
    const plan = await withState(given, environment, (state) => ('lines' in read ? state.planLines(read.lines) : state.plan(read)));
    const out = given.get('out');
    if (out !== undefined) await writeAtomically(out, `${JSON.stringify(plan, undefined, 2)}\n`, 0o600);
    return { text: planText(plan), status: plan.operations.length === 0 ? 0 : DIFFERENT };
  },
});

type Change = StatePlan['changes'][number];

const SIGNS = { create: '+', update: '~', delete: '-' } as const;

/** A plan as human-readable text: one line for each entity, and its fields below. */
const planText = ({ changes, operations, revision, access }: StatePlan): string => {
  if (operations.length === 0) return `no difference at revision ${revision}`;
  const count = (action: Change['action']) => changes.filter((change) => change.action === action).length;
  return [
    ...changes.flatMap(changeLines),
    ...(access ? accessLines(access) : []),
    `${count('create')} to create, ${count('update')} to update, ${count('delete')} to delete, at revision ${revision}`,
  ].join('\n');
};

const changeLines = ({ action, section, name, fields }: Change): readonly string[] => {
  const heading = `${SIGNS[action]} ${section} ${printable(name)}`;
  const fieldLines = Object.entries(fields)
    .filter(([field]) => !(action === 'create' && field === 'name'))
    .map(([field, { before, after }]) => {
      const previous = action === 'create' ? '' : `${formatValue(before)} -> `;
      return `    ${printable(field)}: ${previous}${formatValue(after)}`;
    });
  return [heading, ...fieldLines];
};

type AccessReport = NonNullable<StatePlan['access']>;
type AccessChange = AccessReport['lost'][number];

/** The access that identities gain and lose. */
const accessLines = ({ gained, lost, changed, counts, next }: AccessReport): readonly string[] => [
  `access: ${counts.gained} gained, ${counts.lost} lost, ${counts.changed} under other conditions; sessions that end: ${counts.sessions}; policy tests that fail: ${counts.brokenTests}`,
  ...gained.map((each) => accessLine('+', each)),
  ...lost.map((each) => accessLine('-', each)),
  ...changed.map((each) => accessLine('~', each)),
  ...(next === undefined ? [] : ['  and more']),
];

const accessLine = (sign: string, { identity, service, type }: AccessChange): string =>
  `  ${sign} ${nameOf(identity)} ${type === 'Dial' ? 'dials' : 'binds'} ${nameOf(service)}`;

const nameOf = ({ name, id }: AccessChange['identity']): string => printable(name ?? id);

const formatValue = (value: unknown): string => (value === undefined ? 'none' : printable(JSON.stringify(value)));
