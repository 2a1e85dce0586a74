import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  ALL,
  and,
  compileMatcher,
  ELEMENT,
  has,
  matches,
  NONE,
  not,
  or,
  type Predicate,
  readFilter,
  stringField,
} from '../../../src/query/index.ts';
import { arbitraryPredicate, arbitraryRow, arbitraryRows, arbitraryText } from '../../support/filters.ts';
import { lookup, people, rows } from './sample.ts';

test('not is the exact complement of any predicate on any row', () => {
  fc.assert(
    fc.property(arbitraryPredicate(), arbitraryRows(), (predicate, rows) => {
      const find = (kind: string, id: string) => (kind === 'sample' ? rows.find((row) => row.id === id) : undefined);
      for (const row of rows) assert.notEqual(matches(predicate, row, find), matches({ op: 'not', term: predicate }, row, find));
    }),
  );
});

test('every negated form of a filter is the exact complement of the plain one', () => {
  const value = arbitraryText().map((value) => JSON.stringify(value.replaceAll(/[\u0000-\u001f]/g, '')));
  const number = fc.integer({ min: -2, max: 45 }).map(String);
  const forms = [
    [' = ', ' != '],
    [' contains ', ' not contains '],
    [' in [', ' not in ['],
  ] as const;
  const filters = fc.oneof(
    fc.record({
      left: fc.constantFrom('name', 'tags.site', 'tags.flag', 'address.city', 'token'),
      form: fc.constantFrom(...forms),
      right: value,
    }),
    fc.record({ left: fc.constantFrom('age'), form: fc.constantFrom(...forms), right: number }),
    fc.record({
      left: fc.constantFrom('isAdmin', 'tags.flag', 'isSystem'),
      form: fc.constant(forms[0]),
      right: fc.constantFrom('true', 'false', 'null'),
    }),
    fc.record({
      left: fc.constantFrom('count(roles)', 'age'),
      form: fc.constant([' between 1 and ', ' not between 1 and '] as const),
      right: number,
    }),
  );
  fc.assert(
    fc.property(filters, ({ left, form: [plain, negated], right }) => {
      const close = plain.endsWith('[') ? ']' : '';
      const found = (filter: string): boolean[] => rows.map(compileMatcher(readFilter(filter, people).where, lookup));
      const expected = found(left + plain + right + close).map((is) => !is);
      assert.deepEqual(found(left + negated + right + close), expected);
      assert.deepEqual(found(`not ${left}${plain}${right}${close}`), expected);
    }),
  );
});

test('and, or and not obey the laws of De Morgan', () => {
  fc.assert(
    fc.property(arbitraryPredicate(), arbitraryPredicate(), arbitraryRow(), (a, b, row) => {
      const find = () => undefined;
      assert.equal(matches(not(and(a, b)), row, find), matches(or(not(a), not(b)), row, find));
      assert.equal(matches(not(or(a, b)), row, find), matches(and(not(a), not(b)), row, find));
    }),
  );
});

test('the empty set covers no values, is covered by all, and overlaps none', () => {
  const set = (op: 'overlaps' | 'covers' | 'coveredBy', values: readonly string[]): Predicate => ({ op, set: 'labels', values });
  // biome-ignore format: a table
  const table: readonly [Predicate, readonly string[] | undefined, boolean][] = [
    [set('covers', ['a']), [], false], [set('covers', []), [], true], [set('coveredBy', []), [], true], [set('coveredBy', ['a']), undefined, true], [set('overlaps', []), ['a'], false], [set('overlaps', ['a']), undefined, false],
    [set('covers', ['a', 'b']), ['b', 'c', 'a'], true], [set('covers', ['a', 'b']), ['a'], false], [set('coveredBy', ['a', 'b']), ['a'], true], [set('coveredBy', ['a']), ['a', 'b'], false], [set('overlaps', ['a', 'b']), ['b', 'c'], true], [has('labels', 'a'), ['a'], true],
    [{ op: 'some', set: 'labels', where: { op: 'contains', field: ELEMENT, value: 'B', fold: true } }, ['a', 'xby'], true], [{ op: 'some', set: 'labels', where: ALL }, [], false], [{ op: 'size', set: 'labels', is: '=', value: 0 }, undefined, true],
  ];
  for (const [predicate, labels, expected] of table)
    assert.equal(matches(predicate, { id: 'x', labels }), expected, JSON.stringify([predicate, labels]));
});

test('a string meets numbers and tags as text, and other values never', () => {
  const field = (type: 'number' | 'tag' | 'boolean' | 'string', value: unknown, asked: string | number | boolean): boolean =>
    matches({ op: 'compare', field: { path: ['f'], type }, is: '=', value: asked }, { id: 'x', f: value });
  assert.deepEqual(
    [field('number', 5, '5'), field('tag', 5, '5'), field('tag', true, 'true'), field('tag', '5', '5')],
    [true, true, true, true],
  );
  assert.deepEqual(
    [
      field('boolean', true, 'true'),
      field('string', 5, '5'),
      field('number', '5', 5),
      field('tag', '5', 5),
      field('tag', 'true', true),
      field('tag', { a: 1 }, '[object Object]'),
    ],
    [false, false, false, false, false, false],
  );
});

test('contains with fold compares in upper case', () => {
  const folds = (value: string, asked: string): boolean =>
    matches({ op: 'contains', field: stringField('f'), value: asked, fold: true }, { id: 'x', f: value });
  assert.deepEqual([folds('Straße', 'SS'), folds('STRASSE', 'ß'), folds('ÉCOLE', 'é'), folds('abc', 'd')], [true, true, true, false]);
});

test('a predicate about referenced entities needs a lookup', () => {
  const where: Predicate = { op: 'size', set: 'hobbies', is: '=', value: 0, of: { kind: 'hobby', where: NONE } };
  assert.throws(() => compileMatcher(where), /no lookup was given/);
  assert.doesNotThrow(() => compileMatcher(where, lookup));
});
