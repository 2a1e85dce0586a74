import type { StatePlan } from '../../src/index.ts';

type Change = StatePlan['changes'][number];

const SIGNS = { create: '+', update: '~', delete: '-' } as const;

/** A plan as text for people: an entity a line, and its fields below. */
export const planText = ({ changes, operations, revision }: StatePlan): string => {
  if (operations.length === 0) return `no difference at revision ${revision}`;
  const count = (action: Change['action']) => changes.filter((change) => change.action === action).length;
  return [
    ...changes.flatMap(changeLines),
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

const shown = (value: unknown): string => (value === undefined ? 'none' : printable(JSON.stringify(value)));

/** Text of others must not control the terminal that shows it. */
const printable = (text: string): string => text.replace(/\p{C}/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
