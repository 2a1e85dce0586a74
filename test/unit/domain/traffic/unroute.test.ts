import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createPendingUnroutes } from '../../../../src/fabric/circuits/unroute.ts';

describe('pending unroutes', () => {
  test('are taken once', () => {
    const pending = createPendingUnroutes();
    for (const id of ['a', 'b', 'a']) pending.add('r', id);
    assert.deepEqual([pending.take('r'), pending.take('r'), pending.take('s')], [['a', 'b'], [], []]);
  });

  test('are ten thousand for each of ten thousand routers at most: the oldest are dropped', () => {
    const pending = createPendingUnroutes();
    for (let i = 0; i <= 10_000; i++) pending.add('r', `${i}`);
    const kept = pending.take('r');
    assert.deepEqual([kept.length, kept[0]], [10_000, '1']);
    for (let i = 0; i <= 10_000; i++) pending.add(`${i}`, 'a');
    assert.deepEqual([pending.take('0'), pending.take('1')], [[], ['a']]);
  });
});
