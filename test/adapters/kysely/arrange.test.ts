import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { arrange, MIN_COMMON_SIZE, valuesToArrange } from '../../../adapters/storage/kysely/arrange.ts';
import { matches } from '../../../src/query/evaluate.ts';
import { and, has, or, type Predicate, stringField } from '../../../src/query/predicate.ts';

const all = (...values: string[]): Predicate => ({ op: 'covers', set: 'labels', values });
const sizes = (table: Readonly<Record<string, number>>) => (_: string, value: string) => table[value] ?? 0;

describe('the order of values that a row must hold', () => {
  test('the rarest comes first, wherever it stood', () => {
    const found = arrange(or(all('common', 'rare', 'rarest'), has('labels', 'x')), sizes({ common: MIN_COMMON_SIZE, rare: 50, rarest: 3 }));
    assert.deepEqual(found, or(all('rarest', 'rare', 'common'), has('labels', 'x')));
  });

  test('values that are each held by many become lists to be read side by side', () => {
    assert.deepEqual(
      arrange(all('a', 'b'), sizes({ a: MIN_COMMON_SIZE, b: MIN_COMMON_SIZE })),
      and(has('labels', 'a'), has('labels', 'b')),
    );
  });

  test('one value after another is the same as all together', () => {
    const found = arrange(and(has('labels', 'a'), has('labels', 'b')), sizes({ a: 9, b: 4 }));
    assert.deepEqual(found, all('b', 'a'));
  });

  test('nobody is asked about single values, nor inside of a denial', () => {
    for (const where of [has('labels', 'a'), or(has('labels', 'a'), has('labels', 'b')), { op: 'not', term: all('a', 'b') } as const])
      assert.deepEqual([...valuesToArrange(where)], []);
  });

  test('what is asked stays the same', () => {
    const value = fc.constantFrom('a', 'b', 'c', 'd');
    const { node } = fc.letrec<{ node: Predicate }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 3 },
        fc.array(value, { maxLength: 3 }).map((values) => all(...values)),
        fc.array(value, { maxLength: 3 }).map((values): Predicate => ({ op: 'covers', set: 'others', values })),
        fc.constant<Predicate>({ op: 'in', field: stringField('id'), values: ['1', '2'] }),
        tie('node').map((term): Predicate => ({ op: 'not', term })),
        fc
          .tuple(fc.constantFrom('and' as const, 'or' as const), fc.array(tie('node'), { maxLength: 3 }))
          .map(([op, terms]): Predicate => ({ op, terms })),
      ),
    }));
    const row = fc.record({ id: fc.constantFrom('1', '2', '3'), labels: fc.uniqueArray(value), others: fc.uniqueArray(value) });
    fc.assert(
      fc.property(node, row, fc.dictionary(value, fc.nat(2 * MIN_COMMON_SIZE)), (where, document, table) => {
        const found = arrange(where, sizes(table));
        assert.equal(matches(found, document), matches(where, document));
      }),
    );
  });
});
