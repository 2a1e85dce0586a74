/** Whatever way a stream ends, it gives back its place, its source, and what it listens to. */
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { ApiError } from '../../../src/contract/errors/index.ts';
import { Deadline } from '../../../src/http/deadline.ts';
import { createStreams } from '../../../src/http/streams.ts';
import { createSharedTimer } from '../../../src/runtime/platform/clock.ts';

const ANN = { name: 'ann', isAdministrator: false } as const;

/** Three of the four places are for those who are no administrators. */
const places = () => {
  const log: string[] = [];
  const streams = createStreams(
    { maxOpenStreams: 4, maxOpenStreamsPerIdentity: 1 },
    { error: (message, details) => void log.push(`${message}: ${details?.requestId} ${String(details?.error)}`) },
  );
  const isFree = () => {
    try {
      const stream = streams.open(
        { [Symbol.asyncIterator]: () => ({ next: async () => ({ done: true, value: '' }) }) },
        ANN,
        deadlineOf(),
        {},
      );
      void stream[Symbol.asyncIterator]().return?.();
      return true;
    } catch (error) {
      assert.ok(error instanceof ApiError && error.status === 429);
      return false;
    }
  };
  return { streams, log, isFree };
};

const deadlineOf = (client: { readonly signal?: AbortSignal } = {}) => new Deadline(createSharedTimer(Number.POSITIVE_INFINITY), client);

/** A source that gives parts when the test says so, and counts how often it was given up. */
const sourceOf = () => {
  let waiting = Promise.withResolvers<IteratorResult<string>>();
  let returned = 0;
  const next = () => waiting.promise;
  return {
    parts: {
      [Symbol.asyncIterator]: (): AsyncIterator<string> => ({
        next,
        return: async () => {
          returned++;
          return { done: true, value: undefined };
        },
      }),
    },
    give: (part: IteratorResult<string>) => {
      waiting.resolve(part);
      waiting = Promise.withResolvers();
    },
    fail: (error: unknown) => waiting.reject(error),
    returned: () => returned,
  };
};

const opened = () => {
  const all = places();
  const source = sourceOf();
  const client = new AbortController();
  const deadline = deadlineOf({ signal: client.signal });
  const stream = all.streams.open(source.parts, ANN, deadline, { requestId: 'r1' })[Symbol.asyncIterator]();
  assert.ok(!all.isFree());
  return {
    ...all,
    source,
    client,
    stream,
    /** What must hold once it is over. */
    assertReleased: async () => {
      await setImmediate();
      assert.ok(all.isFree(), 'its place');
      assert.equal(source.returned(), 1, 'its source');
      assert.deepEqual([getEventListeners(client.signal, 'abort').length, deadline.signal.aborted], [0, true], 'its client');
      assert.equal(getEventListeners(deadline.signal, 'abort').length, 0, 'its deadline');
      assert.deepEqual(await stream.next(), { done: true, value: undefined });
    },
  };
};

type Opened = ReturnType<typeof opened>;
const ENDED = { done: true, value: undefined } as const;

describe('a stream gives everything back', () => {
  const endings: Readonly<Record<string, (all: Opened) => Promise<void>>> = {
    'when its source has ended': async ({ stream, source }) => {
      const next = stream.next();
      source.give(ENDED);
      assert.deepEqual(await next, ENDED);
    },
    'when it is returned, once or twice, while a part is waited for': async ({ stream }) => {
      const next = stream.next();
      assert.deepEqual([await stream.return?.(), await stream.return?.(), await next], [ENDED, ENDED, ENDED]);
    },
    'when nothing of it was asked for': async ({ stream }) => void (await stream.return?.()),
    'when its client has gone': async ({ stream, client }) => {
      const next = stream.next();
      client.abort();
      assert.deepEqual(await next, ENDED);
    },
    'when its client has gone, and its source ends or fails later': async ({ stream, client, source, log }) => {
      const next = stream.next();
      client.abort();
      await next;
      source.fail(new Error('too late'));
      await setImmediate();
      assert.deepEqual(log, []);
    },
    'when its source fails, which is logged and breaks the answer off': async ({ stream, source, log }) => {
      const next = stream.next();
      source.fail(new Error('the disk is gone'));
      await assert.rejects(async () => next, /the disk is gone/);
      assert.deepEqual(log, ['a stream was cut off: its source failed; the client may reconnect: r1 Error: the disk is gone']);
    },
    'when its client may read no more, which ends it without a fault': async ({ stream, source, log }) => {
      const next = stream.next();
      source.fail(new ApiError('UNAUTHORIZED'));
      assert.deepEqual([await next, log], [ENDED, []]);
    },
  };
  for (const [when, end] of Object.entries(endings))
    test(when, async () => {
      const all = opened();
      await end(all);
      await all.assertReleased();
    });

  test('when its client has gone before it was opened', async () => {
    const { streams, isFree } = places();
    const source = sourceOf();
    const stream = streams.open(source.parts, ANN, deadlineOf({ signal: AbortSignal.abort() }), {})[Symbol.asyncIterator]();
    assert.deepEqual([await stream.next(), source.returned(), isFree()], [ENDED, 1, true]);
  });
});

test('a stream that gets no place gives up its source, and takes no place from others', () => {
  const { streams } = places();
  const open = (name: string, isAdministrator = false) => {
    const source = sourceOf();
    try {
      streams.open(source.parts, { name, isAdministrator }, deadlineOf(), {});
      return source.returned() === 0 ? 'open' : 'given up';
    } catch (error) {
      assert.equal(source.returned(), 1);
      return error instanceof ApiError ? error.code : error;
    }
  };
  assert.deepEqual(
    [open('a'), open('b'), open('c'), open('d'), open('a'), open('d'), open('e', true), open('f', true)],
    ['open', 'open', 'open', 'SERVER_UNAVAILABLE', 'SERVER_TOO_MANY_REQUESTS', 'SERVER_UNAVAILABLE', 'open', 'SERVER_UNAVAILABLE'],
  );
});
