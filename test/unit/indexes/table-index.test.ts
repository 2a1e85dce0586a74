import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { and, compareText, equals, matches, oneOf, type Predicate, stringField } from '../../../src/query/index.ts';
import { type IndexedFields, splitPredicate } from '../../../src/store/indexes/split-predicate.ts';
import { type IndexedRow, TableIndex } from '../../../src/store/indexes/table-index.ts';

const FIELDS: IndexedFields = { sets: ['roles', 'words'], values: new Map([['semantic', ['AllOf', 'AnyOf']]]) };
const IDS = ['a', 'b', 'c', 'd', 'e', 'f'];
const VALUES = ['x', 'y', 'z'];

const values = fc.uniqueArray(fc.constantFrom(...VALUES), { maxLength: 3 });
const row = fc.record({
  id: fc.constantFrom(...IDS),
  roles: values,
  words: fc.option(values),
  semantic: fc.constantFrom('AllOf', 'AnyOf', null),
  name: fc.constantFrom('one', 'two'),
});
const set = fc.constantFrom(...FIELDS.sets);
const leaf: fc.Arbitrary<Predicate> = fc.oneof(
  fc.record({ op: fc.constantFrom('overlaps' as const, 'covers' as const, 'coveredBy' as const), set, values }),
  fc.uniqueArray(fc.constantFrom(...IDS, 'unknown')).map((ids) => oneOf(stringField('id'), ids)),
  fc.constantFrom('AllOf', 'AnyOf', 'another').map((value) => equals(stringField('semantic'), value)),
  fc.constantFrom('one', 'two').map((value) => equals(stringField('name'), value)),
  fc.constantFrom<Predicate>({ op: 'all' }, { op: 'none' }),
);
const { question } = fc.letrec<{ question: Predicate }>((tie) => ({
  question: fc.oneof(
    { maxDepth: 3 },
    leaf,
    tie('question').map((term): Predicate => ({ op: 'not', term })),
    fc.record({ op: fc.constantFrom('and' as const, 'or' as const), terms: fc.array(tie('question'), { minLength: 1, maxLength: 3 }) }),
  ),
}));
const writes = fc.array(fc.oneof(row, fc.constantFrom(...IDS)), { maxLength: 25 });

test('an index finds the rows that satisfy its part of a question, whatever was written before', () => {
  let answered = 0;
  const property = fc.property(writes, fc.array(question, { minLength: 1, maxLength: 4 }), (random, questions) => {
    const index = new TableIndex(FIELDS);
    const model = new Map<string, IndexedRow>();
    for (const write of random) {
      const id = typeof write === 'string' ? write : write.id;
      index.put(model.get(id), typeof write === 'string' ? undefined : write);
      if (typeof write === 'string') model.delete(id);
      else model.set(id, write);
      for (const where of questions) if (assertFound(index, [...model.values()], where)) answered++;
    }
    assert.equal(index.size, model.size);
  });
  fc.assert(property);
  assert.ok(answered > 0);
});

/** @returns false if the index is of no use for the question */
const assertFound = (index: TableIndex, rows: readonly IndexedRow[], where: Predicate): boolean => {
  const asked = splitPredicate(FIELDS, where);
  if (!asked) return false;
  const { count, page } = index.find(asked.indexed);
  const found = page(0, count);
  const satisfying = (of: Predicate) => rows.flatMap((each) => (matches(of, each) ? [each.id] : [])).toSorted(compareText);
  assert.deepEqual(found, satisfying(asked.indexed));
  assert.equal(count, found.length);
  assert.deepEqual(satisfying(and(asked.indexed, asked.rest)), satisfying(where));
  return true;
};

test('a field that is hidden in both images of a change stays as it is', () => {
  const index = new TableIndex({ sets: ['roles'], values: new Map([['isEdge', [true]]]) });
  index.put(undefined, { id: 'a', roles: ['x'], isEdge: true });
  index.put({ id: 'a', roles: ['x'] }, { id: 'a', roles: ['y'] });
  const edge: Predicate = { op: 'compare', field: { path: ['isEdge'], type: 'boolean' }, is: '=', value: true };
  const found = () => index.find(and({ op: 'overlaps', set: 'roles', values: ['y'] }, edge)).count;
  assert.equal(found(), 1);
  index.put({ id: 'a', roles: ['y'] }, undefined);
  assert.equal(found(), 0);
});

test('values that no row holds any more take no memory', () => {
  const index = new TableIndex(FIELDS);
  const write = (before: readonly string[] | undefined, roles: readonly string[]) =>
    index.put(before && { id: 'a', roles: before }, { id: 'a', roles });
  write(undefined, ['v0']);
  const { bytes } = index;
  for (let i = 0; i < 1000; i++) write([`v${i % 10}`], [`v${(i + 1) % 10}`]);
  assert.equal(index.bytes, bytes);
});

test('a question about no set, or about more than the index holds, is left to the store', () => {
  const role: Predicate = { op: 'overlaps', set: 'roles', values: ['x'] };
  const name = equals(stringField('name'), 'one');
  assert.equal(splitPredicate(FIELDS, oneOf(stringField('id'), ['a'])), undefined);
  assert.equal(splitPredicate(FIELDS, { op: 'all' }), undefined);
  assert.equal(splitPredicate(FIELDS, { op: 'or', terms: [role, name] }), undefined);
  assert.deepEqual(splitPredicate(FIELDS, and(name, and(role, name))), { indexed: role, rest: and(name, name) });
});
