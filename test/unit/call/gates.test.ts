import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Applicant, createFairGate } from '../../../src/call/fair-gate.ts';
import { createGate } from '../../../src/call/gate.ts';
import { ApiError } from '../../../src/errors/index.ts';

/** Work that ends when it is told to. */
const piece = () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { work: () => promise, end: resolve };
};
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
const isTooMany = (error: unknown) => error instanceof ApiError && error.code === 'SERVER_TOO_MANY_REQUESTS' && error.retryAfter === 1;

describe('a gate', () => {
  test('lets through as many as it was told, makes as many wait, and refuses the next', async () => {
    const gate = createGate(2, 3);
    const held = piece();
    let begun = 0;
    const enter = () =>
      gate.pass(() => {
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
    await gate.pass(async () => {});
  });

  test('what waits goes with its request, and makes room', async () => {
    const gate = createGate(1, 1);
    const held = piece();
    const first = gate.pass(held.work);
    const request = new AbortController();
    const gone = gate.pass(() => assert.fail('nobody waits for it'), request.signal);
    await assert.rejects(gate.pass(held.work), isTooMany);
    request.abort(new Error('gone'));
    await assert.rejects(gone, /gone/);
    const next = gate.pass(async () => 'next');
    held.end();
    assert.equal(await next, 'next');
    await first;
    await assert.rejects(
      gate.pass(() => assert.fail('it is aborted already'), request.signal),
      /gone/,
    );
  });
});

/** A gate, and what went through it in order. */
const watched = (limits: { atOnce?: number; queued?: number; queuedPerName?: number } = {}) => {
  const gate = createFairGate({ atOnce: 1, queued: 100, queuedPerName: 100, ...limits });
  const begun: string[] = [];
  const refused: string[] = [];
  const ends = new Map<string, () => void>();
  const enter = (label: string, { signal = new AbortController().signal, ...applicant }: Partial<Applicant> & { from: string }) => {
    const { work, end } = piece();
    ends.set(label, end);
    return gate
      .pass({ signal, ...applicant }, async () => {
        begun.push(label);
        await work();
      })
      .catch((error) => {
        if (!isTooMany(error)) throw error;
        refused.push(label);
      });
  };
  /** Ends what has begun, and whatever begins then, until nothing is left. */
  const finish = async () => {
    for (let done = 0; done < begun.length; ) {
      ends.get(begun[done++] ?? '')?.();
      await settled();
    }
  };
  return { gate, begun, refused, enter, end: (label: string) => ends.get(label)?.(), finish };
};

describe('a fair gate', () => {
  test('lets as many through at once as it was told', async () => {
    const { begun, enter, finish } = watched({ atOnce: 2 });
    for (const label of ['1', '2', '3']) enter(label, { from: 'a' });
    await settled();
    assert.deepEqual(begun, ['1', '2']);
    await finish();
    assert.deepEqual(begun, ['1', '2', '3']);
  });

  test('turns go round those who apply, however many there are of one', async () => {
    const { begun, enter, finish } = watched();
    for (let i = 0; i < 5; i++) enter(`a${i}`, { from: 'a' });
    for (let i = 0; i < 2; i++) enter(`b${i}`, { from: 'b' });
    await settled();
    enter('c0', { from: 'c' });
    await settled();
    await finish();
    assert.deepEqual(begun, ['a0', 'a1', 'b0', 'c0', 'a2', 'b1', 'a3', 'a4']);
  });

  test('who comes late is not behind turns that others have had already', async () => {
    const { begun, enter, end, finish } = watched();
    for (let i = 0; i < 7; i++) enter(`a${i}`, { from: 'a' });
    await settled();
    for (let i = 0; i < 3; i++) {
      end(`a${i}`);
      await settled();
    }
    for (let i = 0; i < 2; i++) enter(`b${i}`, { from: 'b' });
    await settled();
    await finish();
    assert.deepEqual(begun.slice(4), ['a4', 'b0', 'a5', 'b1', 'a6']);
  });

  test('of one name one at a time, and others go by', async () => {
    const { begun, enter, end, finish } = watched({ atOnce: 2 });
    for (const label of ['ann 1', 'ann 2', 'ann 3']) enter(label, { from: 'a', name: 'ann' });
    enter('bob', { from: 'a', name: 'bob' });
    await settled();
    assert.deepEqual(begun, ['ann 1', 'bob']);
    end('bob');
    await settled();
    assert.deepEqual(begun, ['ann 1', 'bob']);
    await finish();
    assert.deepEqual(begun, ['ann 1', 'bob', 'ann 2', 'ann 3']);
  });

  test('work that is over gives its place back at once, and its name when it ends', async () => {
    const { gate, begun, enter } = watched();
    const { work, end } = piece();
    const first = gate.pass({ from: 'a', name: 'ann', signal: new AbortController().signal }, async (over) => {
      over();
      over();
      await work();
    });
    enter('ann', { from: 'a', name: 'ann' });
    enter('bob', { from: 'a', name: 'bob' });
    enter('cat', { from: 'a', name: 'cat' });
    await settled();
    assert.deepEqual(begun, ['bob']);
    end();
    await first;
  });

  test('a full queue is as long as it was told, and what fills it most makes way: there what waits longest', async () => {
    const { begun, refused, enter, finish } = watched({ queued: 3 });
    for (let i = 0; i < 4; i++) enter(`a${i}`, { from: 'a' });
    await settled();
    assert.deepEqual(refused, []);
    enter('a4', { from: 'a' });
    await settled();
    assert.deepEqual(refused, ['a1']);
    enter('b0', { from: 'b' });
    enter('c0', { from: 'c' });
    await settled();
    assert.deepEqual(refused, ['a1', 'a2', 'a3']);
    await finish();
    assert.deepEqual(begun, ['a0', 'b0', 'c0', 'a4']);
  });

  test('in one place, what makes way is of the name that fills it most', async () => {
    const { refused, enter, finish } = watched({ queued: 3 });
    enter('running', { from: 'a', name: 'x' });
    enter('right', { from: 'a', name: 'ann' });
    enter('guess 1', { from: 'a', name: 'bob' });
    enter('guess 2', { from: 'a', name: 'bob' });
    enter('other', { from: 'a', name: 'cat' });
    await settled();
    assert.deepEqual(refused, ['guess 1']);
    await finish();
  });

  test('of one name as many wait as it was told, from wherever they come, and the place with most of them makes way', async () => {
    const { refused, enter, finish } = watched({ queuedPerName: 2 });
    enter('running', { from: 'a', name: 'ann' });
    for (let i = 1; i < 3; i++) enter(`guess ${i}`, { from: 'a', name: 'ann' });
    await settled();
    assert.deepEqual(refused, []);
    enter('right', { from: 'b', name: 'ann' });
    enter('other', { from: 'a', name: 'bob' });
    await settled();
    assert.deepEqual(refused, ['guess 1']);
    await finish();
  });

  test('what is urgent goes first and makes nothing give way; it is asked for only where it has to wait', async () => {
    const { begun, refused, enter, finish } = watched({ queued: 2 });
    enter('running', { from: 'a', isUrgent: () => assert.fail('there is nothing to wait for') });
    for (let i = 1; i < 3; i++) enter(`a${i}`, { from: 'a' });
    enter('urgent', { from: 'a', isUrgent: async () => true });
    await settled();
    assert.deepEqual(refused, []);
    await finish();
    assert.deepEqual(begun, ['running', 'urgent', 'a1', 'a2']);
  });

  test('what waits goes with its request', async () => {
    const { begun, enter, finish } = watched({ queued: 1 });
    const request = new AbortController();
    enter('running', { from: 'a' });
    const gone = enter('gone', { from: 'a', signal: request.signal });
    await settled();
    request.abort(new Error('gone'));
    await assert.rejects(gone, /gone/);
    enter('next', { from: 'a' });
    await settled();
    await finish();
    assert.deepEqual(begun, ['running', 'next']);
    await assert.rejects(enter('aborted', { from: 'a', signal: request.signal }), /gone/);
  });

  test('work that fails leaves the gate as it found it', async () => {
    const { gate, begun, enter } = watched();
    const signal = new AbortController().signal;
    const failing = gate.pass({ from: 'a', name: 'ann', signal }, async () => {
      throw new Error('failed');
    });
    await assert.rejects(failing, /failed/);
    enter('next', { from: 'a', name: 'ann' });
    await settled();
    assert.deepEqual(begun, ['next']);
  });
});
