/** A kind to ask about, some rows of it, and a short way to ask. */
import {
  comparator,
  compileMatcher,
  type Document,
  equals,
  fieldSymbol,
  readFilter,
  type Symbols,
  stringField,
  symbolsOf,
} from '../../../src/query/index.ts';

const base = {
  id: fieldSymbol('string', 'id'),
  name: fieldSymbol('string', 'name'),
  createdAt: fieldSymbol('date', 'createdAt'),
  isSystem: fieldSymbol('boolean', 'isSystem'),
  tags: { is: 'tags' },
} as const;

export const hobbies: Symbols = symbolsOf('hobby', { ...base, cost: fieldSymbol('number', 'cost'), age: fieldSymbol('string', 'age') });

export const people: Symbols = symbolsOf('person', {
  ...base,
  age: fieldSymbol('number', 'age'),
  isAdmin: fieldSymbol('boolean', 'isAdmin'),
  seenAt: fieldSymbol('date', 'seenAt'),
  'address.city': fieldSymbol('string', 'address', 'city'),
  roles: { is: 'set', set: 'roles' },
  hobbies: { is: 'references', set: 'hobbies', target: () => hobbies },
  token: { is: 'secret', type: 'string', matches: (value) => equals(stringField('tokenHash'), `hash of ${value}`) },
  password: { is: 'secret', type: 'string' },
  isHaunted: { is: 'secret', type: 'boolean' },
});

const createdAt = '2024-02-29T12:00:00.000Z';

// biome-ignore format: a table
export const rows: readonly Document[] = [
  { id: 'ann', name: 'Ann', age: 41, isAdmin: true, seenAt: '2024-03-01T00:00:00.000Z', address: { city: 'Bonn' }, roles: ['red', 'blue'], hobbies: ['chess', 'go'], tags: { site: 'North', flag: true, 'a.b': 'dotted', 'has-dash': 'q' }, tokenHash: 'hash of s3cret', createdAt },
  { id: 'bob', name: 'bob', age: 7.5, isAdmin: false, seenAt: '2024-03-02T00:00:00.000Z', address: { city: null }, roles: ['red'], hobbies: ['go'], tags: { site: 'south', flag: false }, createdAt },
  { id: 'cyd', name: 'Cyd "q" \\', age: null, isAdmin: false, seenAt: null, roles: [], hobbies: [], tags: { flag: 'true', site: null }, createdAt },
  { id: 'dan', name: null, roles: ['Red'], hobbies: ['chess', 'gone'], createdAt },
];

const hobbyRows: Readonly<Record<string, Document>> = {
  chess: { id: 'chess', name: 'Chess', createdAt },
  go: { id: 'go', name: 'Go', createdAt, tags: { old: true } },
};

export const lookup = (kind: string, id: string): Document | undefined => (kind === 'hobby' ? hobbyRows[id] : undefined);

/** The ids of the people whom the filter finds, in its order, without its page. */
export const ask = (filter: string): readonly unknown[] => {
  const { where, sort } = readFilter(filter, people);
  return rows
    .filter(compileMatcher(where, lookup))
    .toSorted(comparator(sort ?? []))
    .map((row) => row.id);
};
