import assert from 'node:assert/strict';
import { test } from 'node:test';
import { after, every, pause } from '../../../src/runtime/platform/clock.ts';
import { frozenClock } from '../../support/clock.ts';

const NEVER = new AbortController().signal;

test('a step that takes long is not run beside itself, and is run again once it is over', async () => {
  const clock = frozenClock();
  let begun = 0;
  let end = () => {};
  const stop = every(clock, 1000, () => {
    begun++;
    return new Promise<void>((resolve) => {
      end = resolve;
    });
  });
  clock.advance('999ms');
  assert.equal(begun, 0);
  clock.advance('5s');
  assert.equal(begun, 1);
  end();
  await Promise.resolve();
  clock.advance('1s');
  assert.equal(begun, 2);
  stop();
  end();
  await Promise.resolve();
  clock.advance('1m');
  assert.equal(begun, 2);
});

test('steps continue after one that failed', async () => {
  const clock = frozenClock();
  let begun = 0;
  every(clock, 1000, async () => {
    begun++;
    throw new Error('once');
  });
  clock.advance('1s');
  await new Promise(setImmediate);
  clock.advance('1s');
  assert.equal(begun, 2);
});

test('what was to happen while a clock is moved on happens in order, each at its time', () => {
  const clock = frozenClock();
  const start = clock.now();
  const seen: unknown[] = [];
  const note = (name: string) => () => seen.push([name, clock.now() - start]);
  after(clock, 300, note('third'));
  after(clock, 100, () => {
    note('first')();
    after(clock, 100, note('second'));
  });
  after(clock, 150, note('called off'))();
  after(clock, 1001, note('later'));
  clock.advance('1s');
  assert.deepEqual(seen, [
    ['first', 100],
    ['second', 200],
    ['third', 300],
  ]);
  assert.equal(clock.now() - start, 1000);
});

test('a pause ends with its time or with its signal, and a clock that has no timers takes those of the runtime', async () => {
  const clock = frozenClock();
  const ended = pause(clock, 1000, NEVER);
  clock.advance('1s');
  await ended;
  const aborted = new AbortController();
  const cut = pause(clock, 1000, aborted.signal);
  aborted.abort();
  await cut;
  await pause(clock, 1000, AbortSignal.abort());
  const alive = setTimeout(() => undefined, 60_000);
  await pause({ now: () => 0 }, 1, NEVER);
  clearTimeout(alive);
});
