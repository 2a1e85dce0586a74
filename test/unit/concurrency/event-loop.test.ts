import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  allPendingTurns,
  awaitTurn,
  createTimeSlice,
  pendingTurns,
  spendTimeSlice,
  yieldToEventLoop,
} from '../../../src/runtime/concurrency/event-loop.ts';
import { countTurns } from '../../support/turns.ts';

test('of several long computations that let others have a turn, one continues in each', async () => {
  using loop = countTurns();
  const wentOnIn: number[] = [];
  const computation = async () => {
    for (let step = 0; step < 3; step++) {
      await yieldToEventLoop();
      wentOnIn.push(loop.turns);
    }
  };
  await Promise.all([computation(), computation(), computation(), computation()]);
  assert.equal(wentOnIn.length, 12);
  assert.equal(new Set(wentOnIn).size, 12);
});

test('they continue in the order in which they began to wait', async () => {
  const wentOn: number[] = [];
  const wait = async (number: number) => {
    await yieldToEventLoop();
    wentOn.push(number);
  };
  await Promise.all([1, 2, 3].map(wait));
  await wait(4);
  assert.deepEqual(wentOn, [1, 2, 3, 4]);
});

test('what needs one slice only waits among them, but is not counted as one of them', async () => {
  const waits = [awaitTurn(), yieldToEventLoop(), awaitTurn()];
  assert.deepEqual([allPendingTurns(), pendingTurns()], [3, 1]);
  await Promise.all(waits);
  assert.deepEqual([allPendingTurns(), pendingTurns()], [0, 0]);
});

test('others have a turn once in so many steps', async () => {
  await yieldToEventLoop();
  const turn = createTimeSlice(10);
  assert.deepEqual([turn(4), turn(5)], [undefined, undefined]);
  const pause = turn();
  assert.ok(pause instanceof Promise);
  await pause;
  assert.equal(turn(9), undefined);
});

test('all that is done in one turn counts together', async () => {
  await yieldToEventLoop();
  const [one, another] = [createTimeSlice(10), createTimeSlice(1000)];
  assert.equal(one(6), undefined);
  assert.equal(spendTimeSlice(0.2), false);
  const pause = another(200);
  assert.ok(pause instanceof Promise);
  await pause;
  assert.deepEqual([one(6), another(300)], [undefined, undefined]);
});

test('what was done in an earlier turn does not count', async () => {
  await yieldToEventLoop();
  const turn = createTimeSlice(10);
  assert.equal(turn(9), undefined);
  await new Promise((resolve) => setTimeout(resolve, 1));
  await new Promise((resolve) => setTimeout(resolve, 1));
  assert.equal(turn(9), undefined);
});

test('very little is not counted', async () => {
  await yieldToEventLoop();
  for (let i = 0; i < 100; i++) assert.equal(spendTimeSlice(0.05), false);
});
