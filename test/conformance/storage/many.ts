import assert from 'node:assert/strict';
import fc from 'fast-check';
import { comparator, matches } from '../../../src/query/index.ts';
import {
  and,
  booleanField,
  ELEMENT,
  equals,
  has,
  not,
  oneOf,
  or,
  type Predicate,
  type SortKey,
  stringField,
} from '../../../src/query/predicate.ts';
import type { Row, Store } from '../../../src/store/storage/port.ts';
import type { Sentences } from '../storage.suite.ts';
import { each, idsOf, note, read, save, write } from './sample.ts';

const ROWS = 700;
const EVERY = [1, 2, 3, 4, 5, 7, 100, 1000];

/** A label by how many rows hold it: `every-3` is on each third. Ids and names are each in an order of their own. */
const rows = (): readonly Row[] =>
  Array.from({ length: ROWS }, (_, i) =>
    note(`id-${String((i * 37) % ROWS).padStart(3, '0')}`, {
      name: `name-${String((i * 211) % ROWS).padStart(3, '0')}`,
      isOpen: i % 2 === 0,
      order: i % 11,
      ownerId: i % 13 === 0 ? null : `owner-${i % 9}`,
      externalKey: i % 3 === 0 ? null : i - 5,
      labels: [...EVERY.filter((step) => i % step === 0).map((step) => `every-${step}`), `only-${i}`],
    }),
  );

const externalKey = { path: ['externalKey'] as const, type: 'number' as const };
const label = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...EVERY.map((step) => `every-${step}`)) },
  { weight: 1, arbitrary: fc.constantFrom('only-6', 'nobody') },
);
const labels = (minLength: number) => fc.uniqueArray(label, { minLength, maxLength: 4 });
const manyLabels = fc.constant([...EVERY.map((step) => `every-${step}`), 'only-6', 'only-7', 'nobody']);
const someIds = fc.uniqueArray(
  fc.nat(ROWS + 5).map((i) => `id-${String(i).padStart(3, '0')}`),
  { minLength: 1, maxLength: 5 },
);

const simple: fc.Arbitrary<Predicate> = fc.oneof(
  labels(1).map((values): Predicate => ({ op: 'covers', set: 'labels', values })),
  labels(2).map((values): Predicate => ({ op: 'covers', set: 'labels', values })),
  fc.oneof(labels(1), manyLabels).map((values): Predicate => ({ op: 'overlaps', set: 'labels', values })),
  fc
    .constantFrom('every-', '7')
    .map((value): Predicate => ({ op: 'some', set: 'labels', where: { op: 'contains', field: ELEMENT, value, fold: false } })),
  fc
    .tuple(fc.constantFrom('<' as const, '<=' as const, '>' as const, '>=' as const), fc.nat(ROWS))
    .map(([is, i]): Predicate => ({ op: 'compare', field: stringField('name'), is, value: `name-${String(i).padStart(3, '0')}` })),
  fc
    .tuple(fc.constantFrom('<' as const, '>' as const, '>=' as const), fc.nat(9))
    .map(([is, i]): Predicate => ({ op: 'compare', field: stringField('ownerId'), is, value: `owner-${i}` })),
  fc
    .tuple(fc.constantFrom('<' as const, '<=' as const, '>' as const), fc.nat(ROWS))
    .map(([is, i]): Predicate => ({ op: 'compare', field: stringField('id'), is, value: `id-${String(i).padStart(3, '0')}` })),
  fc
    .constantFrom('7', '33', 'NAME-1', '')
    .map((value): Predicate => ({ op: 'contains', field: stringField('name'), value, fold: value !== '7' })),
  fc.constantFrom(1, 5, 600).map((value): Predicate => ({ op: 'compare', field: externalKey, is: value === 5 ? '<' : '>=', value })),
  someIds.map((ids) => oneOf(stringField('id'), ids)),
  fc.nat(9).map((i) => equals(stringField('ownerId'), `owner-${i}`)),
  fc.boolean().map((isOpen) => equals(booleanField('isOpen'), isOpen)),
);
/** The shape of what policies select: some ids, some attributes, and several arrays of attributes. */
const membership: fc.Arbitrary<Predicate> = fc
  .tuple(someIds, labels(1), fc.array(labels(2), { minLength: 1, maxLength: 5 }))
  .map(([ids, any, all]) =>
    or(
      oneOf(stringField('id'), ids),
      { op: 'overlaps', set: 'labels', values: any },
      ...all.map((values): Predicate => ({ op: 'covers', set: 'labels', values })),
    ),
  );
const covering: fc.Arbitrary<Predicate> = fc
  .array(labels(2), { minLength: 2, maxLength: 5 })
  .map((all) => or(...all.map((values): Predicate => ({ op: 'covers', set: 'labels', values }))));
const question: fc.Arbitrary<Predicate> = fc.oneof(
  simple,
  membership,
  covering,
  fc.tuple(covering, simple).map(([a, b]) => and(a, b)),
  fc.tuple(membership, covering).map(([a, b]) => and(a, b)),
  fc.tuple(simple, simple).map(([a, b]) => and(a, not(b))),
  fc.tuple(label, label, simple).map(([a, b, c]) => or(and(has('labels', a), has('labels', b)), c)),
  fc.tuple(simple, simple, simple).map(([a, b, c]) => or(and(a, b), c)),
);

const key = fc.record({
  field: fc.constantFrom(stringField('name'), stringField('id'), stringField('ownerId'), {
    path: ['order'] as const,
    type: 'number' as const,
  }),
  descending: fc.boolean(),
});
const page = fc.record({
  sort: fc.array(key, { maxLength: 2 }),
  offset: fc.oneof(fc.constant(0), fc.nat(40), fc.nat(ROWS)),
  limit: fc.constantFrom(1, 3, 10, 25, 500),
});

const assertAnswered = async (store: Store, all: readonly Row[]): Promise<void> => {
  const inOrder = (sort: readonly SortKey[]) => [...all].sort(comparator(sort));
  await fc.assert(
    fc.asyncProperty(question, page, async (where, { sort, offset, limit }) => {
      const right = inOrder(sort).filter((row) => matches(where, row));
      await read(store, async (tx) => {
        assert.equal(await tx.count('note', where), right.length);
        assert.deepEqual(idsOf(await tx.list('note', { where, sort, offset, limit })), idsOf(right.slice(offset, offset + limit)));
      });
    }),
    { numRuns: 150 },
  );
};

/** What is found by another way where many rows are concerned: the answers are those of the evaluator all the same. */
export const many: Sentences = {
  'among many rows, pages and counts are those that asking row by row gives': async (store) => {
    await save(store, ...rows());
    await assertAnswered(store, rows());
  },

  'the same after rows were changed, deleted and made anew': async (store) => {
    const before = rows();
    await save(store, ...before);
    await read(store, (tx) => tx.count('note', { op: 'overlaps', set: 'labels', values: ['every-1', 'every-2'] }));
    const changed = before.flatMap((row, i): readonly Row[] => {
      if (i % 10 === 3) return [];
      return [i % 4 === 1 ? { ...row, version: 2, labels: [`every-${EVERY[i % EVERY.length]}`, 'every-3'] } : row];
    });
    const fresh = Array.from({ length: 60 }, (_, i) => note(`new-${i}`, { labels: ['every-2', 'every-3', 'every-5'] }));
    await write(store, async (tx) => {
      for (const [i, row] of before.entries()) if (i % 10 === 3) await tx.delete('note', row.id);
      await each(changed, async (row) => (row.version === 2 ? tx.update('note', row, 1) : undefined));
      await each(fresh, (row) => tx.insert('note', row));
    });
    await assertAnswered(store, [...changed, ...fresh]);
  },
};
