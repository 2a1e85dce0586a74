import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Applicant, createFairSemaphore } from '../../../src/concurrency/fair-semaphore.ts';
import { createSemaphore } from '../../../src/concurrency/semaphore.ts';
import { ApiError } from '../../../src/errors/index.ts';

/** Work that ends when it is told to. */
const piece = () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { work: () => promise, end: resolve };
};
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
const isTooMany = (error: unknown) => error instanceof ApiError && error.code === 'SERVER_TOO_MANY_REQUESTS' && error.retryAfter === 1;

describe('a semaphore', () => {
  test('lets through as many as it was told, makes as many wait, and refuses the next', async () => {
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
    const gone = semaphore.run(() => assert.fail('nobody waits for it'), request.signal);
    await assert.rejects(semaphore.run(held.work), isTooMany);
    request.abort(new Error('gone'));
    await assert.rejects(gone, /gone/);
    const next = semaphore.run(async () => 'next');
    held.end();
    assert.equal(await next, 'next');
    await first;
    await assert.rejects(
      semaphore.run(() => assert.fail('it is aborted already'), request.signal),
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
      }, request.signal);
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

/** A semaphore, and what went through it in order. */
const watched = (limits: { atOnce?: number; queued?: number; queuedPerName?: number } = {}) => {
  const semaphore = createFairSemaphore({ atOnce: 1, queued: 100, queuedPerName: 100, ...limits });
  const begun: string[] = [];
  const refused: string[] = [];
  const ends = new Map<string, () => void>();
  const enter = (label: string, { signal = new AbortController().signal, ...applicant }: Partial<Applicant> & { from: string }) => {
    const { work, end } = piece();
    ends.set(label, end);
    return semaphore
      .run({ signal, ...applicant }, async () => {
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
  return { semaphore, begun, refused, enter, end: (label: string) => ends.get(label)?.(), finish };
};

describe('a fair semaphore', () => {
  test('lets as many through at once as it was told', async () => {
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

  test('a full queue is as long as it was told, and what fills it most makes way: there what waits longest', async () => {
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

  test('of one name as many wait as it was told, from wherever they come, and the place with most of them makes way', async () => {
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
