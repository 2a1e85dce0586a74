import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSharedTimer } from '../../../src/runtime/platform/clock.ts';

const keptAlive = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

test('what waits is run in the order in which it began', async () => {
  const begin = createSharedTimer(20);
  const run: string[] = [];
  const wait = (name: string) => {
    begin(() => run.push(name));
  };
  wait('a');
  wait('b');
  await sleep(10);
  wait('c');
  while (run.length < 3) await sleep(1);
  assert.deepEqual(run, ['a', 'b', 'c']);
});

test('what was called off is not run, and does not hold up what comes after it', async () => {
  const begin = createSharedTimer(10);
  const run: string[] = [];
  const callOff = begin(() => run.push('a'));
  begin(() => run.push('b'));
  callOff();
  callOff();
  while (run.length === 0) await sleep(1);
  begin(() => run.push('c'));
  while (run.length < 2) await sleep(1);
  assert.deepEqual(run, ['b', 'c']);
});

test('the timer keeps the process alive while a task waits, and only then', async () => {
  const before = keptAlive();
  const begin = createSharedTimer(60_000);
  const first = begin(() => undefined);
  assert.equal(keptAlive(), before + 1);
  const second = begin(() => undefined);
  first();
  assert.equal(keptAlive(), before + 1);
  second();
  assert.equal(keptAlive(), before);
  begin(() => undefined)();
  const third = begin(() => undefined);
  assert.equal(keptAlive(), before + 1);
  third();
  assert.equal(keptAlive(), before);
});

test('a task may begin another wait', async () => {
  const begin = createSharedTimer(5);
  let runs = 0;
  const again = () => {
    if (++runs < 3) begin(again);
  };
  begin(again);
  while (runs < 3) await sleep(1);
  assert.equal(runs, 3);
});
