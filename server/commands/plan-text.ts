import type { StatePlan } from '../../src/index.ts';
import { printable } from '../failure.ts';

type Change = StatePlan['changes'][number];

const SIGNS = { create: '+', update: '~', delete: '-' } as const;

/** A plan as text for people: an entity a line, and its fields below. */
export const planText = ({ changes, operations, revision, access }: StatePlan): string => {
  if (operations.length === 0) return `no difference at revision ${revision}`;
  const count = (action: Change['action']) => changes.filter((change) => change.action === action).length;
  return [
    ...changes.flatMap(changeLines),
    ...(access ? accessLines(access) : []),
    `${count('create')} to create, ${count('update')} to update, ${count('delete')} to delete, at revision ${revision}`,
  ].join('\n');
};

const changeLines = ({ action, section, name, fields }: Change): readonly string[] => [
  `${SIGNS[action]} ${section} ${printable(name)}`,
  ...Object.entries(fields)
    .filter(([field]) => !(action === 'create' && field === 'name'))
    .map(
      ([field, { before, after }]) =>
        `    ${printable(field)}: ${action === 'create' ? shown(after) : `${shown(before)} -> ${shown(after)}`}`,
    ),
];

type AccessReport = NonNullable<StatePlan['access']>;
type AccessChange = AccessReport['lost'][number];

/** Who gains and who loses what. */
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

const shown = (value: unknown): string => (value === undefined ? 'none' : printable(JSON.stringify(value)));
