import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { settled, watched } from './pieces.ts';

describe('the queue of a fair semaphore', () => {
  test('a full queue is as long as its limit, and what fills it most makes way: there what waits longest', async () => {
    const { begun, refused, enter, finish } = watched({ queued: 3 });
    for (let i = 0; i < 4; i++) void enter(`a${i}`, { from: 'a' });
    await settled();
    assert.deepEqual(refused, []);
    void enter('a4', { from: 'a' });
    await settled();
    assert.deepEqual(refused, ['a1']);
    void enter('b0', { from: 'b' });
    void enter('c0', { from: 'c' });
    await settled();
    assert.deepEqual(refused, ['a1', 'a2', 'a3']);
    await finish();
    assert.deepEqual(begun, ['a0', 'b0', 'c0', 'a4']);
  });

  test('the newcomer counts in its own place: that makes way, not another that has as much', async () => {
    const { begun, refused, enter, finish } = watched({ queued: 2 });
    void enter('running', { from: 'c' });
    void enter('a0', { from: 'a' });
    void enter('b0', { from: 'b' });
    void enter('b1', { from: 'b' });
    await settled();
    assert.deepEqual(refused, ['b0']);
    await finish();
    assert.deepEqual(begun, ['running', 'a0', 'b1']);
  });

  test('in one place, what makes way is of the name that fills it most', async () => {
    const { refused, enter, finish } = watched({ queued: 3 });
    void enter('running', { from: 'a', name: 'x' });
    void enter('right', { from: 'a', name: 'ann' });
    void enter('guess 1', { from: 'a', name: 'bob' });
    void enter('guess 2', { from: 'a', name: 'bob' });
    void enter('other', { from: 'a', name: 'cat' });
    await settled();
    assert.deepEqual(refused, ['guess 1']);
    await finish();
  });

  test('of one name as many wait as the limit allows, from wherever they come, and the place with most of them makes way', async () => {
    const { refused, enter, finish } = watched({ queuedPerName: 2 });
    void enter('running', { from: 'a', name: 'ann' });
    for (let i = 1; i < 3; i++) void enter(`guess ${i}`, { from: 'a', name: 'ann' });
    await settled();
    assert.deepEqual(refused, []);
    void enter('right', { from: 'b', name: 'ann' });
    void enter('other', { from: 'a', name: 'bob' });
    await settled();
    assert.deepEqual(refused, ['guess 1']);
    await finish();
  });

  test('work that has no name is of none: as much of it waits as there is room for', async () => {
    const { begun, refused, enter, finish } = watched({ queuedPerName: 1 });
    for (let i = 0; i < 4; i++) void enter(`a${i}`, { from: 'a' });
    await settled();
    assert.deepEqual(refused, []);
    await finish();
    assert.equal(begun.length, 4);
  });

  test('what is urgent goes first and makes nothing give way; it is asked for only where it has to wait', async () => {
    const { begun, refused, enter, finish } = watched({ queued: 2 });
    void enter('running', { from: 'a', isUrgent: () => assert.fail('there is nothing to wait for') });
    for (let i = 1; i < 3; i++) void enter(`a${i}`, { from: 'a' });
    void enter('urgent', { from: 'a', isUrgent: async () => true });
    await settled();
    assert.deepEqual(refused, []);
    await finish();
    assert.deepEqual(begun, ['running', 'urgent', 'a1', 'a2']);
  });

  test('what waits goes with its request', async () => {
    const { begun, enter, finish } = watched({ queued: 1 });
    const request = new AbortController();
    void enter('running', { from: 'a' });
    const gone = enter('gone', { from: 'a', signal: request.signal });
    await settled();
    request.abort(new Error('gone'));
    await assert.rejects(gone, /gone/);
    void enter('next', { from: 'a' });
    await settled();
    await finish();
    assert.deepEqual(begun, ['running', 'next']);
    await assert.rejects(enter('aborted', { from: 'a', signal: request.signal }), /gone/);
  });

  test('a request that ends after its work made way takes no other with it', async () => {
    const { begun, refused, enter, finish } = watched({ queued: 1 });
    const request = new AbortController();
    void enter('running', { from: 'a' });
    void enter('old', { from: 'a', signal: request.signal });
    void enter('new', { from: 'a' });
    await settled();
    assert.deepEqual(refused, ['old']);
    request.abort(new Error('gone'));
    await finish();
    assert.deepEqual(begun, ['running', 'new']);
  });

  test('a request that ends while it is asked whether it is urgent is not begun, and waits for nothing', async () => {
    const { begun, enter, finish } = watched();
    const request = new AbortController();
    const asked = Promise.withResolvers<boolean>();
    void enter('running', { from: 'a' });
    const gone = enter('gone', { from: 'a', signal: request.signal, isUrgent: () => asked.promise });
    void enter('next', { from: 'a' });
    await settled();
    request.abort(new Error('gone'));
    asked.resolve(true);
    await assert.rejects(gone, /gone/);
    await finish();
    assert.deepEqual(begun, ['running', 'next']);
  });

  test('waiters queue in the order of arrival, even if the answer to the `isUrgent` of the first takes longest', async () => {
    const { begun, refused, enter, finish } = watched({ queued: 2 });
    const answers = [1, 2, 3].map(() => Promise.withResolvers<boolean>());
    void enter('running', { from: 'a' });
    answers.forEach(({ promise }, i) => {
      void enter(`waiter ${i + 1}`, { from: 'a', isUrgent: () => promise });
    });
    for (const { resolve } of answers.toReversed()) {
      resolve(false);
      await settled();
    }
    // The queue has room for two: the oldest is dropped.
    assert.deepEqual(refused, ['waiter 1']);
    await finish();
    assert.deepEqual(begun, ['running', 'waiter 2', 'waiter 3']);
  });
});
