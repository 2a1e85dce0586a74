import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createOwedEnds } from '../../../../src/domain/traffic/circuits/pending-unroutes.ts';

describe('ends of circuits that routers are still to hear of', () => {
  test('are told once', () => {
    const owed = createOwedEnds();
    for (const id of ['a', 'b', 'a']) owed.note('r', id);
    assert.deepEqual([owed.take('r'), owed.take('r'), owed.take('s')], [['a', 'b'], [], []]);
  });

  test('are ten thousand for each of ten thousand routers at most: the oldest are forgotten', () => {
    const owed = createOwedEnds();
    for (let i = 0; i <= 10_000; i++) owed.note('r', `${i}`);
    const kept = owed.take('r');
    assert.deepEqual([kept.length, kept[0]], [10_000, '1']);
    for (let i = 0; i <= 10_000; i++) owed.note(`${i}`, 'a');
    assert.deepEqual([owed.take('0'), owed.take('1')], [[], ['a']]);
  });
});
