import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createSemaphore } from '../../../src/runtime/concurrency/semaphore.ts';
import { isTooMany, piece, settled } from './pieces.ts';

describe('a semaphore', () => {
  test('lets through as many as its limit allows, makes as many wait, and refuses the next', async () => {
    const semaphore = createSemaphore(2, 3);
    const held = piece();
    let begun = 0;
    const enter = () =>
      semaphore.run(() => {
        begun++;
        return held.work();
      });
    const inside = [enter(), enter(), enter(), enter(), enter()];
    await settled();
    assert.equal(begun, 2);
    await assert.rejects(enter(), isTooMany);
    held.end();
    await Promise.all(inside);
    assert.equal(begun, 5);
    await semaphore.run(async () => {});
  });

  test('what waits goes with its request, and makes room', async () => {
    const semaphore = createSemaphore(1, 1);
    const held = piece();
    const first = semaphore.run(held.work);
    const request = new AbortController();
    const gone = semaphore.run(() => assert.fail('nobody waits for it'), request);
    await assert.rejects(semaphore.run(held.work), isTooMany);
    request.abort(new Error('gone'));
    await assert.rejects(gone, /gone/);
    const next = semaphore.run(async () => 'next');
    held.end();
    assert.equal(await next, 'next');
    await first;
    await assert.rejects(
      semaphore.run(() => assert.fail('it is aborted already'), request),
      /gone/,
    );
  });
});

describe('the queue of a semaphore', () => {
  /** A semaphore for one, which a first piece of work holds, and what began behind it. */
  const held = (queued = 10) => {
    const semaphore = createSemaphore(1, queued);
    const first = piece();
    const begun: string[] = [];
    const requests = new Map<string, AbortController>();
    const pieces = new Map<string, () => void>();
    const holding = semaphore.run(first.work);
    const enter = (label: string) => {
      const [{ work, end }, request] = [piece(), new AbortController()];
      requests.set(label, request);
      pieces.set(label, end);
      return semaphore.run(() => {
        begun.push(label);
        return work();
      }, request);
    };
    return {
      begun,
      enter,
      abort: (label: string) => requests.get(label)?.abort(new Error('gone')),
      end: async (label?: string) => {
        if (label === undefined) first.end();
        else pieces.get(label)?.();
        await settled();
      },
      holding,
    };
  };

  test('is left in the order in which it was entered', async () => {
    const { begun, enter, end, holding } = held();
    const all = ['a', 'b', 'c'].map(enter);
    await end();
    for (const label of ['a', 'b', 'c']) await end(label);
    assert.deepEqual(begun, ['a', 'b', 'c']);
    await Promise.all([holding, ...all]);
  });

  test('loses the work whose request ended, and no other', async () => {
    const { begun, enter, abort, end } = held();
    const [, gone] = ['a', 'b', 'c'].map(enter);
    abort('b');
    await assert.rejects(gone ?? assert.fail(), /gone/);
    await end();
    for (const label of ['a', 'c']) await end(label);
    assert.deepEqual(begun, ['a', 'c']);
  });

  test('loses nothing when the request of work ends that has begun already', async () => {
    const { begun, enter, abort, end } = held();
    const all = ['a', 'b', 'c'].map(enter);
    await end();
    abort('a');
    for (const label of ['a', 'b', 'c']) await end(label);
    assert.deepEqual(begun, ['a', 'b', 'c']);
    await Promise.all(all);
  });
});
