import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { piece, settled, watched } from './pieces.ts';

describe('a fair semaphore', () => {
  test('lets as many through at once as its limit allows', async () => {
    const { begun, enter, finish } = watched({ atOnce: 2 });
    for (const label of ['1', '2', '3']) void enter(label, { from: 'a' });
    await settled();
    assert.deepEqual(begun, ['1', '2']);
    await finish();
    assert.deepEqual(begun, ['1', '2', '3']);
  });

  test('turns go round those who apply, however many there are of one', async () => {
    const { begun, enter, finish } = watched();
    for (let i = 0; i < 5; i++) void enter(`a${i}`, { from: 'a' });
    for (let i = 0; i < 2; i++) void enter(`b${i}`, { from: 'b' });
    await settled();
    void enter('c0', { from: 'c' });
    await settled();
    await finish();
    assert.deepEqual(begun, ['a0', 'a1', 'b0', 'c0', 'a2', 'b1', 'a3', 'a4']);
  });

  test('who comes late is not behind turns that others have had already', async () => {
    const { begun, enter, end, finish } = watched();
    for (let i = 0; i < 7; i++) void enter(`a${i}`, { from: 'a' });
    await settled();
    for (let i = 0; i < 3; i++) {
      end(`a${i}`);
      await settled();
    }
    for (let i = 0; i < 2; i++) void enter(`b${i}`, { from: 'b' });
    await settled();
    await finish();
    assert.deepEqual(begun.slice(4), ['a4', 'b0', 'a5', 'b1', 'a6']);
  });

  test('of one name one at a time, and others go by', async () => {
    const { begun, enter, end, finish } = watched({ atOnce: 2 });
    for (const label of ['ann 1', 'ann 2', 'ann 3']) void enter(label, { from: 'a', name: 'ann' });
    void enter('bob', { from: 'a', name: 'bob' });
    await settled();
    assert.deepEqual(begun, ['ann 1', 'bob']);
    end('bob');
    await settled();
    assert.deepEqual(begun, ['ann 1', 'bob']);
    await finish();
    assert.deepEqual(begun, ['ann 1', 'bob', 'ann 2', 'ann 3']);
  });

  test('work that is over gives its place back at once, and its name when it ends', async () => {
    const { semaphore, begun, enter } = watched();
    const { work, end } = piece();
    const first = semaphore.run({ from: 'a', name: 'ann', signal: new AbortController().signal }, async (over) => {
      over();
      over();
      await work();
    });
    void enter('ann', { from: 'a', name: 'ann' });
    void enter('bob', { from: 'a', name: 'bob' });
    void enter('cat', { from: 'a', name: 'cat' });
    await settled();
    assert.deepEqual(begun, ['bob']);
    end();
    await first;
  });

  test('what is urgent does not turn the turns of the others back', async () => {
    const { begun, enter, end, finish } = watched();
    for (let i = 0; i < 5; i++) void enter(`a${i}`, { from: 'a' });
    await settled();
    for (let i = 0; i < 2; i++) {
      end(`a${i}`);
      await settled();
    }
    void enter('urgent', { from: 'c', isUrgent: async () => true });
    await settled();
    end('a2');
    await settled();
    for (let i = 0; i < 3; i++) void enter(`b${i}`, { from: 'b' });
    await settled();
    await finish();
    // b begins behind the turn that a has had, one turn at a time with a.
    assert.deepEqual(begun, ['a0', 'a1', 'a2', 'urgent', 'a3', 'b0', 'a4', 'b1', 'b2']);
  });

  test('work that fails leaves the semaphore as it found it', async () => {
    const { semaphore, begun, enter } = watched();
    const signal = new AbortController().signal;
    const failing = semaphore.run({ from: 'a', name: 'ann', signal }, async () => {
      throw new Error('failed');
    });
    await assert.rejects(failing, /failed/);
    void enter('next', { from: 'a', name: 'ann' });
    await settled();
    assert.deepEqual(begun, ['next']);
  });
});
