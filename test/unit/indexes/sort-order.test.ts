import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { comparator, type FieldRef, matches, type Ordering, type Predicate, type Scalar } from '../../../src/query/index.ts';
import { splitPredicate } from '../../../src/store/indexes/split-predicate.ts';
import { type IndexedRow, TableIndex } from '../../../src/store/indexes/table-index.ts';
import { columnsIn } from '../../../src/store/indexes/wanted-columns.ts';

/** Texts beyond the basic plane sort otherwise by UTF-16 units; many rows share a value. */
const value: fc.Arbitrary<Scalar | null | undefined> = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'B', '\uff5e', '\u{1f600}'), maxLength: 2 }),
  fc.constantFrom(null, undefined),
);
const ids = Array.from({ length: 12 }, (_, i) => String.fromCharCode(97 + i));
const write = fc.record({
  id: fc.constantFrom(...ids),
  name: value,
  isThere: fc.constantFrom(true, true, true, false),
  isMember: fc.boolean(),
});

const FIELDS = { sets: ['roles'], values: new Map() };
const NAME = { path: ['name'], type: 'string' } as const;
const MEMBERS = { op: 'overlaps', set: 'roles', values: ['x'] } as const;

const assertSorted = (index: TableIndex, rows: readonly IndexedRow[], offset: number, limit: number): void => {
  for (const descending of [false, true]) {
    const by = { field: NAME, descending };
    const members = rows.filter(({ roles }) => (roles as readonly string[]).length > 0).toSorted(comparator([by]));
    const expected = members.slice(offset, offset + limit).map(({ id }) => id);
    assert.deepEqual(index.find(MEMBERS).sorted(by, offset, limit), expected, descending ? 'descending' : 'ascending');
  }
};

test('rows are sorted by a field as by the comparator of queries, ties by id, whatever was written before', () => {
  const property = fc.property(fc.array(write, { maxLength: 40 }), fc.nat(12), fc.nat(12), (writes, offset, limit) => {
    const index = new TableIndex(FIELDS, { orders: ['name'], texts: [] });
    const rows = new Map<string, IndexedRow>();
    for (const { id, name, isThere, isMember } of writes) {
      const after = isThere ? { id, name, roles: isMember ? ['x'] : [] } : undefined;
      index.put(rows.get(id), after);
      if (after) rows.set(id, after);
      else rows.delete(id);
      assertSorted(index, [...rows.values()], offset, limit);
    }
    assertSorted(index, [...rows.values()], 0, Infinity);
  });
  fc.assert(property, { numRuns: 300 });
});

test('rows are found by how their value stands to another, as the evaluator finds them', () => {
  const is = fc.constantFrom<Ordering>('<', '<=', '>', '>=');
  const property = fc.property(fc.array(write, { maxLength: 30 }), is, value, fc.boolean(), (writes, is, value, negated) => {
    const index = new TableIndex(FIELDS, { orders: ['name'], texts: [] });
    const rows = new Map<string, IndexedRow>();
    for (const { id, name, isThere } of writes) {
      const after = isThere ? { id, name, roles: [] } : undefined;
      index.put(rows.get(id), after);
      if (after) rows.set(id, after);
      else rows.delete(id);
    }
    const compared: Predicate = { op: 'compare', field: NAME, is, value: value ?? '' };
    const where: Predicate = negated ? { op: 'not', term: compared } : compared;
    assert.deepEqual(splitPredicate(index.fields, where), { indexed: where, rest: { op: 'all' } });
    const expected = [...rows.values()].filter((row) => matches(where, row)).map(({ id }) => id);
    const { count, page, sorted } = index.find(where);
    assert.deepEqual(page(0, count), expected.toSorted());
    for (const descending of [false, true]) {
      const by = { field: NAME, descending };
      const found: readonly IndexedRow[] = [...rows.values()].filter((row) => matches(where, row));
      const ids = found.toSorted(comparator([by])).map(({ id }) => id);
      assert.deepEqual([sorted(by, 0, Infinity), sorted(by, 1, 2)], [ids, ids.slice(1, 3)]);
    }
  });
  fc.assert(property, { numRuns: 300 });
});

test('a comparison with a value of another type, with an id, or with a single value is left to the store', () => {
  const fields = { ...FIELDS, orders: ['name', 'id'] };
  const compared = (name: string, type: FieldRef['type'], is: Ordering, value: Scalar): Predicate => ({
    op: 'compare',
    field: { path: [name], type },
    is,
    value,
  });
  const text = compared('name', 'string', '<', 'a');
  const others = [
    compared('name', 'string', '=', 'a'),
    compared('id', 'string', '<', 'a'),
    compared('name', 'number', '<', 'a'),
    compared('other', 'string', '<', 'a'),
  ];
  assert.ok(splitPredicate(fields, text));
  for (const where of others) assert.equal(splitPredicate(fields, where), undefined);
  assert.deepEqual(columnsIn({ op: 'or', terms: [text, ...others] }, 'compare'), ['name', 'other']);
});

test('numbers and booleans are sorted, too: false before true, and no value before any', () => {
  const index = new TableIndex(FIELDS, { orders: ['size', 'isNew'], texts: [] });
  const sizes = [10, 9, null, -1, 100];
  const news = [true, false, undefined, false, true];
  for (const [i, size] of sizes.entries()) index.put(undefined, { id: `${i}`, size, isNew: news[i], roles: ['x'] });
  const sorted = (field: string, type: 'number' | 'boolean', descending = false) =>
    index.find(MEMBERS).sorted({ field: { path: [field], type }, descending }, 0, Infinity);
  assert.deepEqual(sorted('size', 'number'), ['2', '3', '1', '0', '4']);
  assert.deepEqual(sorted('isNew', 'boolean'), ['2', '1', '3', '0', '4']);
  assert.deepEqual(sorted('isNew', 'boolean', true), ['0', '4', '1', '3', '2']);
});

test('thousands of rows that came in any order are sorted', () => {
  const index = new TableIndex(FIELDS, { orders: ['name'], texts: [] });
  const rows = Array.from({ length: 3000 }, (_, i) => ({
    id: String(i).padStart(4, '0'),
    name: String((i * 7919) % 3001),
    roles: i % 3 ? ['x'] : [],
  }));
  for (const row of rows) index.put(undefined, row);
  assertSorted(index, rows, 0, 10);
  assertSorted(index, rows, 1990, 20);
  for (const row of rows.slice(0, 2900)) index.put(row, undefined);
  assertSorted(index, rows.slice(2900), 0, Infinity);
});

test('a field without an order, or inside of another, is left to the store', () => {
  const index = new TableIndex(FIELDS, { orders: ['name'], texts: [] });
  index.put(undefined, { id: 'a', name: 'a', roles: ['x'] });
  const sorted = (...path: [string, ...string[]]) =>
    index.find(MEMBERS).sorted({ field: { path, type: 'string' }, descending: false }, 0, 1);
  assert.deepEqual([sorted('name'), sorted('other'), sorted('name', 'first')], [['a'], undefined, undefined]);
});

test('an order takes memory for its rows, and gives it back', () => {
  const index = new TableIndex(FIELDS, { orders: ['name'], texts: [] });
  const plain = new TableIndex(FIELDS);
  const row = (i: number) => ({ id: `${i}`, name: `name of ${i}`, roles: [] });
  for (let i = 0; i < 100; i++) for (const each of [index, plain]) each.put(undefined, row(i));
  assert.ok(index.bytes - plain.bytes >= 100 * 'name of 0'.length);
  for (let i = 0; i < 100; i++) for (const each of [index, plain]) each.put(row(i), undefined);
  assert.equal(index.bytes, plain.bytes);
});
