import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compareText, matches, type Predicate } from '../../../src/query/index.ts';
import { splitPredicate } from '../../../src/store/indexes/split-predicate.ts';
import { type IndexedRow, TableIndex } from '../../../src/store/indexes/table-index.ts';
import { columnsIn } from '../../../src/store/indexes/wanted-columns.ts';

const FIELDS = { sets: [], values: new Map() };
const NAME = { path: ['name'], type: 'string' } as const;
const containing = (value: string, fold = false): Predicate => ({ op: 'contains', field: NAME, value, fold });

/** Letters whose upper case is several, or beyond the basic plane; the last is in no pair of its own case. */
const text = (maxLength: number) =>
  fc.string({ unit: fc.constantFrom('a', 'A', 'b', '7', ' ', 'ß', 'ŉ', 'S', '\u{10428}', '\u{10400}', 'ς'), maxLength });
const name = fc.oneof(
  { weight: 8, arbitrary: text(6) },
  { weight: 1, arbitrary: fc.constantFrom(null, undefined, 7) },
  { weight: 1, arbitrary: text(3).map((end) => 'x'.repeat(300) + end) },
);
const write = fc.record({ id: fc.constantFrom('a', 'b', 'c', 'd', 'e'), name, isThere: fc.constantFrom(true, true, false) });

test('the texts that contain another are found as the evaluator finds them, whatever was written before', () => {
  const property = fc.property(
    fc.array(write, { maxLength: 20 }),
    fc.array(text(4), { minLength: 1, maxLength: 4 }),
    fc.boolean(),
    (writes, values, negated) => {
      const index = new TableIndex(FIELDS, { orders: [], texts: ['name'] });
      const rows = new Map<string, IndexedRow>();
      for (const { id, name, isThere } of writes) {
        const after = isThere ? { id, name } : undefined;
        index.put(rows.get(id), after);
        if (after) rows.set(id, after);
        else rows.delete(id);
      }
      for (const value of [
        ...values,
        ...[...rows.values()].flatMap(({ name }) => (typeof name === 'string' ? [name, name.slice(-2)] : [])),
      ])
        for (const fold of [false, true]) {
          if (!value.isWellFormed()) continue;
          const where: Predicate = negated ? { op: 'not', term: containing(value, fold) } : containing(value, fold);
          const { count, page } = index.find(where);
          const expected = [...rows.values()].filter((row) => matches(where, row)).map(({ id }) => id);
          assert.deepEqual(page(0, count), expected.toSorted(compareText), JSON.stringify({ value, fold }));
        }
    },
  );
  fc.assert(property, { numRuns: 500 });
});

test('only what the texts of a text field contain is answered, and never by half of a letter', () => {
  const fields = { ...FIELDS, texts: ['name'] };
  assert.deepEqual(splitPredicate(fields, containing('a')), { indexed: containing('a'), rest: { op: 'all' } });
  const half = containing('\u{1f600}'.slice(1));
  const tag: Predicate = { op: 'contains', field: { path: ['tags', 'name'], type: 'tag' }, value: 'a', fold: false };
  const number: Predicate = { op: 'contains', field: { path: ['name'], type: 'number' }, value: '1', fold: false };
  const other: Predicate = { op: 'contains', field: { path: ['other'], type: 'string' }, value: 'a', fold: false };
  for (const where of [half, tag, number, other]) assert.equal(splitPredicate(fields, where), undefined);
  const nested: Predicate = { op: 'not', term: { op: 'or', terms: [other, containing('a')] } };
  assert.deepEqual(columnsIn({ op: 'and', terms: [half, tag, number, nested] }, 'contains'), ['other', 'name']);
});

test('texts take memory for their pairs, and give it back', () => {
  const index = new TableIndex(FIELDS, { orders: [], texts: ['name'] });
  const plain = new TableIndex(FIELDS);
  const row = (i: number) => ({ id: `${i}`, name: i === 7 ? 'long '.repeat(500) : `name of ${i}` });
  for (let i = 0; i < 100; i++) for (const each of [index, plain]) each.put(undefined, row(i));
  assert.ok(index.bytes - plain.bytes >= 100 * 'name of 0'.length);
  const { bytes } = index;
  const cycle = () => {
    for (let i = 0; i < 100; i++) index.put(row(i), { id: `${i}`, name: null });
    assert.ok(index.bytes < bytes);
    for (let i = 0; i < 100; i++) index.put({ id: `${i}`, name: null }, row(i));
    return index.bytes;
  };
  const once = cycle();
  for (let i = 0; i < 10; i++) assert.equal(cycle(), once);
});
