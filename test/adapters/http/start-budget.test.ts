import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createStartBudget } from '../../../adapters/http/start-budget.ts';

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** Turns by a clock that only work moves. */
const createTimeSlice = () => {
  let now = 0;
  const workFor = (milliseconds: number) => {
    now += milliseconds;
  };
  return { mayStart: createStartBudget(() => now), workFor };
};

test('requests that arrive together begin at once', () => {
  const { mayStart, workFor } = createTimeSlice();
  for (let i = 0; i < 10; i++) {
    assert.equal(mayStart(), undefined);
    workFor(1);
  }
});

test('those that come after long work in the same turn begin in a later one, in their order', async () => {
  const { mayStart, workFor } = createTimeSlice();
  assert.equal(mayStart(), undefined);
  workFor(20);
  let turn = 0;
  const begun: number[] = [];
  const inTurns = new Set<number>();
  const waiting = [0, 1, 2].map(async (number) => {
    await mayStart();
    begun.push(number);
    inTurns.add(turn);
    workFor(15);
  });
  await Promise.resolve();
  assert.equal(begun.length, 0);
  for (; begun.length < 3; turn++) await nextTurn();
  await Promise.all(waiting);
  assert.deepEqual(begun, [0, 1, 2]);
  assert.ok(inTurns.size >= 2, 'not all in one turn');
});

test('in the next turn, requests begin at once again', async () => {
  const { mayStart, workFor } = createTimeSlice();
  void mayStart();
  workFor(20);
  await nextTurn();
  await nextTurn();
  assert.equal(mayStart(), undefined);
});
