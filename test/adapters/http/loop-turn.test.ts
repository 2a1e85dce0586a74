import assert from 'node:assert/strict';
import { test } from 'node:test';
import { turnToBegin } from '../../../adapters/http/loop-turn.ts';

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
const workFor = (milliseconds: number) => {
  for (const until = performance.now() + milliseconds; performance.now() < until; );
};

test('requests that arrive together begin at once', async () => {
  await nextTurn();
  for (let i = 0; i < 10; i++) assert.equal(turnToBegin(), undefined);
});

test('those that come after long work in the same turn begin in a later one, in their order', async () => {
  await nextTurn();
  assert.equal(turnToBegin(), undefined);
  workFor(25);
  const begun: number[] = [];
  const waiting = [0, 1, 2].map(async (number) => {
    await turnToBegin();
    begun.push(number);
    workFor(15);
  });
  await Promise.resolve();
  assert.deepEqual(begun, []);
  let turns = 0;
  for (; begun.length < 3; turns++) await nextTurn();
  await Promise.all(waiting);
  assert.deepEqual(begun, [0, 1, 2]);
  assert.ok(turns >= 2, 'not all in one turn');
});

test('in the next turn, requests begin at once again', async () => {
  void turnToBegin();
  workFor(25);
  await nextTurn();
  await nextTurn();
  assert.equal(turnToBegin(), undefined);
});
