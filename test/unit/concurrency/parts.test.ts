import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ENTRIES_AT_ONCE, entriesIn, inBatches } from '../../../src/runtime/concurrency/event-loop.ts';

const partsOf = (sizes: readonly number[], enough: number) => [...inBatches(sizes, (size) => size, enough)];

test('a part ends with the item that makes it large enough', () => {
  assert.deepEqual(partsOf([1, 3, 1, 4, 2, 2], 4), [
    [1, 3],
    [1, 4],
    [2, 2],
  ]);
});

test('an item that is large enough alone is a part with what came before it', () => {
  assert.deepEqual(partsOf([9, 1, 9, 9], 4), [[9], [1, 9], [9]]);
});

test('the last part may be small, and no items give no parts', () => {
  assert.deepEqual(partsOf([4, 1], 4), [[4], [1]]);
  assert.deepEqual(partsOf([], 4), []);
});

test('rows are as large as their lists', () => {
  const rowOf = (entries: number) => ({ name: 'a name', roles: Array.from({ length: entries }, String) });
  const parts = [...inBatches([1000, 3997, 0, 10_000, 5000, 2000, 2000].map(rowOf), entriesIn, ENTRIES_AT_ONCE)];
  assert.deepEqual(
    parts.map((part) => part.map(({ roles }) => roles.length)),
    [[1000, 3997, 0], [10_000], [5000], [2000, 2000]],
  );
});
