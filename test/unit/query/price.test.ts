/** What a question costs, by comparison: how long each thing takes is measured, and no promise. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FieldRef, Predicate, SortKey } from '../../../src/query/predicate.ts';
import { costOf, priceOf, type Shape } from '../../../src/query/price.ts';

const field = (...path: [string, ...string[]]): FieldRef => ({ path, type: 'string' });
const [ID, NAME, NOTE, TAG] = [field('id'), field('name'), field('note'), field('tags', 'y')];
const shape: Shape = {
  column: ({ path: [first, ...deeper] }) =>
    deeper.length > 0 ? undefined : first === 'id' ? 'unique' : first === 'name' ? 'plain' : undefined,
};
const cost = (where: Predicate, rows = 1000, sort: readonly SortKey[] = [], others = 0): number =>
  costOf(
    'one',
    priceOf('one', where, sort, () => shape),
    (kind) => (kind === 'one' ? rows : others),
  );

const is = (of: FieldRef, value = 'x'): Predicate => ({ op: 'compare', field: of, is: '=', value });
const isBefore = (of: FieldRef): Predicate => ({ op: 'compare', field: of, is: '<', value: 'x' });
const contains = (of: FieldRef, fold = false): Predicate => ({ op: 'contains', field: of, value: 'x', fold });
const values = (count: number) => Array.from({ length: count }, (_, i) => `v${i}`);
const oneOf = (of: FieldRef, count: number): Predicate => ({ op: 'in', field: of, values: values(count) });
const and = (...terms: readonly Predicate[]): Predicate => ({ op: 'and', terms });
const or = (...terms: readonly Predicate[]): Predicate => ({ op: 'or', terms });
const size = (of?: Predicate): Predicate => ({
  op: 'size',
  set: 'labels',
  is: '>',
  value: 1,
  ...(of ? { of: { kind: 'other', where: of } } : {}),
});

describe('what a question costs', () => {
  const everyRow: Readonly<Record<string, Predicate>> = {
    'a column before a value': isBefore(NAME),
    'a unique column before a value': isBefore(ID),
    'a column of a value': is(NAME),
    'a column of one of some values': oneOf(NAME, 3),
    'a column that holds a text': contains(NAME),
    'a column that is null': { op: 'isNull', field: NAME },
    'a field of the document': is(NOTE),
    'a tag': contains(TAG),
    'not an id': { op: 'not', term: is(ID) },
    'an id or a name': or(is(ID), is(NAME)),
    'one of some elements': { op: 'overlaps', set: 'labels', values: values(2) },
    'all of some elements': { op: 'covers', set: 'labels', values: values(2) },
    'no other elements': { op: 'coveredBy', set: 'labels', values: values(2) },
    'an element that holds a text': { op: 'some', set: 'labels', where: contains(NAME) },
    'the number of elements': size(),
    'an id, of all that have an element': and(is(ID), { op: 'overlaps', set: 'labels', values: values(2) }),
  };
  for (const [what, where] of Object.entries(everyRow))
    test(`as much more as there are rows: ${what}`, () => {
      assert.ok(cost(where) > 0);
      assert.ok(cost(where, 100_000) > 50 * cost(where, 1000));
    });

  const fewRows: Readonly<Record<string, Predicate>> = {
    'an id': is(ID),
    'one of some ids': oneOf(ID, 5),
    'an id or another': or(is(ID), is(ID, 'y')),
    'an id, and what no index answers': and(is(ID), contains(TAG), size()),
    'nothing at all': { op: 'none' },
    'nothing at all, and what no index answers': and({ op: 'none' }, contains(TAG)),
    everything: { op: 'all' },
  };
  for (const [what, where] of Object.entries(fewRows))
    test(`the same however many rows there are: ${what}`, () => assert.equal(cost(where, 100_000), cost(where, 1000)));

  test('no more than there are rows', () => {
    const where = and(oneOf(ID, 500), contains(TAG));
    assert.ok(cost(where, 10) < cost(where, 400) / 20);
  });

  test('more for each value, element, condition, alternative and key of an order', () => {
    const more: readonly (readonly [Predicate, Predicate])[] = [
      [oneOf(NAME, 400), oneOf(NAME, 2)],
      [and(oneOf(ID, 400), contains(TAG)), and(oneOf(ID, 2), contains(TAG))],
      [or(is(ID), is(ID, 'y')), is(ID)],
      [and(contains(NAME), contains(NAME)), contains(NAME)],
      [or(contains(NAME), contains(NAME)), contains(NAME)],
      [
        { op: 'overlaps', set: 'labels', values: values(400) },
        { op: 'overlaps', set: 'labels', values: values(2) },
      ],
      [
        { op: 'coveredBy', set: 'labels', values: values(400) },
        { op: 'coveredBy', set: 'labels', values: values(2) },
      ],
      [
        { op: 'some', set: 'labels', where: contains(NAME, true) },
        { op: 'some', set: 'labels', where: contains(NAME) },
      ],
    ];
    for (const [dear, cheap] of more) assert.ok(cost(dear) > cost(cheap), JSON.stringify(dear));
    const key = { field: NAME, descending: false };
    assert.ok(cost({ op: 'all' }, 1000, [key]) > 0);
    assert.ok(cost({ op: 'all' }, 1000, [key, key]) > cost({ op: 'all' }, 1000, [key]));
  });

  test('more to read documents than columns, once, and more to fold letters than not', () => {
    assert.ok(cost(is(NOTE)) > 5 * cost(is(NAME)));
    assert.ok(cost(is(TAG)) > 5 * cost(is(NAME)));
    assert.ok(cost(and(is(NOTE), is(NOTE))) < 1.5 * cost(is(NOTE)));
    assert.ok(cost(and(is(NOTE), is(NOTE))) > cost(is(NOTE)));
    assert.ok(cost(contains(NAME, true)) > 5 * cost(contains(NAME)));
    assert.ok(
      cost({ op: 'all' }, 1000, [{ field: TAG, descending: false }]) > cost({ op: 'all' }, 1000, [{ field: NAME, descending: false }]),
    );
  });

  test('what a question within costs, of the rows of its own kind, once', () => {
    const [within, alone] = [size(contains(TAG)), size()];
    const inner = cost(within, 10, [], 5000) - cost(alone, 10);
    assert.ok(inner > 0);
    assert.equal(cost(within, 20, [], 5000) - cost(alone, 20), inner);
    assert.ok(cost(within, 10, [], 10_000) - cost(alone, 10) > 1.9 * inner);
    const deeper = size(size(contains(TAG)));
    assert.ok(cost(deeper, 10, [], 5000) > cost(size(size()), 10, [], 5000));
  });
});
