import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { coalesced } from '../../../adapters/storage/kysely/request-coalescing.ts';

/** A state that moves on, and questions about it that end when the test says so. */
const answeredByHand = () => {
  let state = 1;
  const open: PromiseWithResolvers<number>[] = [];
  const ask = coalesced(() => {
    const answer = Promise.withResolvers<number>();
    open.push(answer);
    return answer.promise;
  });
  return {
    ask,
    move: () => state++,
    asked: () => open.length,
    answer: (which: number) => open[which]?.resolve(state),
    fail: (which: number) => open[which]?.reject(new Error('no connection')),
  };
};

const turns = () => new Promise((resolve) => setImmediate(resolve));

describe('a question that callers share', () => {
  test('those who come while one is under way share the next, however many they are', async () => {
    const { ask, asked, answer } = answeredByHand();
    const first = ask();
    const others = Array.from({ length: 20 }, ask);
    assert.equal(asked(), 1);
    answer(0);
    await first;
    await turns();
    assert.equal(asked(), 2);
    answer(1);
    assert.deepEqual(new Set(await Promise.all(others)), new Set([1]));
  });

  test('no answer is older than the question: who comes later sees what has happened in between', async () => {
    const { ask, move, answer } = answeredByHand();
    const early = ask();
    answer(0);
    move();
    const late = ask();
    assert.equal(await early, 1);
    await turns();
    answer(1);
    assert.equal(await late, 2);
  });

  test('a failure is that of those who share it, and the next ask anew', async () => {
    const { ask, answer, fail } = answeredByHand();
    const first = ask();
    const second = ask();
    fail(0);
    await assert.rejects(first, /no connection/);
    await turns();
    answer(1);
    assert.equal(await second, 1);
    const third = ask();
    answer(2);
    assert.equal(await third, 1);
  });

  test('a question that is never answered holds up nobody else', async () => {
    const { ask, asked, answer } = answeredByHand();
    void ask();
    const second = ask();
    while (asked() < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    answer(1);
    assert.equal(await second, 1);
  });
});
