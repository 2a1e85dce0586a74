import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { compareKeys, type Key } from '../../../adapters/storage/memory/order.ts';
import { emptyTree, keysWithin, remove, set, type Tree, walk, walkWithin } from '../../../adapters/storage/memory/tree.ts';

const key: fc.Arbitrary<Key> = fc.oneof(fc.constantFrom(null, true, false), fc.integer({ min: -300, max: 300 }), fc.nat(400).map(String));
const bound = fc.option(key, { nil: undefined });

/** A tree of several levels, some keys of which were taken out again. */
const grown = (keys: readonly Key[], gone: readonly Key[]): Tree<number> =>
  gone.reduce<Tree<number>>(
    (tree, each) => remove(tree, each),
    keys.reduce<Tree<number>>((tree, each, i) => set(tree, each, i), emptyTree()),
  );

const keysOf = (tree: Tree<number>): readonly Key[] => {
  const keys: Key[] = [];
  walk(tree, (_, each) => keys.push(each) > 0);
  return keys;
};

const rising = (count: number): readonly Key[] => Array.from({ length: count }, (_, i) => i);

describe('trees of the memory store', () => {
  test('a walk within bounds meets the keys between them, both included, in either direction, until it is stopped', () => {
    const keys = fc.array(key, { maxLength: 600, size: 'max' });
    fc.assert(
      fc.property(
        keys,
        fc.array(key, { maxLength: 100 }),
        bound,
        bound,
        fc.boolean(),
        fc.nat(50),
        (all, gone, low, high, descending, most) => {
          const tree = grown(all, gone);
          const right = keysOf(tree).filter(
            (each) => (low === undefined || compareKeys(each, low) >= 0) && (high === undefined || compareKeys(each, high) <= 0),
          );
          assert.equal(keysWithin(tree, { low, high }), right.length);
          const met: Key[] = [];
          walkWithin(tree, { low, high }, (_, each) => met.push(each) <= most, { descending });
          assert.deepEqual(met, (descending ? right.toReversed() : right).slice(0, most + 1));
        },
      ),
    );
  });
});

describe('trees that grow at one end', () => {
  for (const [name, keys] of Object.entries({ ascending: rising(200), descending: rising(200).toReversed() }))
    test(`a walk up to a key meets all below it, where keys came in ${name} order and every third was taken out`, () => {
      const gone = keys.filter((each) => Number(each) % 3 === 0);
      const tree = grown(keys, gone);
      const left = rising(200).filter((each) => Number(each) % 3 !== 0);
      for (const high of rising(200)) {
        const right = left.filter((each) => compareKeys(each, high) <= 0);
        const met: Key[] = [];
        walkWithin(tree, { high }, (_, each) => met.push(each) > 0);
        assert.deepEqual(met, right);
        assert.equal(keysWithin(tree, { high }), right.length);
      }
    });
});
