/** A stream of events that reconnects: after which errors, how long it waits, and from which event it resumes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { follow } from '../../../client/follow.ts';
import type { ServerSentEvent } from '../../../src/contract/api/surfaces/http-output.ts';
import { ApiError } from '../../../src/index.ts';

type Connection = readonly ServerSentEvent[] | Error;

/** Follows connections one after another, until one of them ends the stream with an error. */
const followed = async (...connections: readonly Connection[]) => {
  const resumedAfter: (string | undefined)[] = [];
  const pauses: number[] = [];
  const items: unknown[] = [];
  const stream = follow({
    connect: async (lastEventId) => {
      const connection = connections[resumedAfter.push(lastEventId) - 1] ?? new ApiError('NOT_FOUND');
      if (connection instanceof Error) throw connection;
      return (async function* () {
        yield* connection;
      })();
    },
    wait: async (milliseconds) => void pauses.push(milliseconds),
    signal: undefined,
  });
  let error: unknown;
  try {
    for await (const item of stream) items.push(item);
  } catch (caught) {
    error = caught;
  }
  return { items, error, resumedAfter, pauses };
};

const event = (id: string): ServerSentEvent => ({ id, data: id });
const unavailable = new ApiError('SERVER_UNAVAILABLE');
const codeOf = (error: unknown) => error instanceof ApiError && error.code;

test('a stream resumes after the last event of a lost connection, and ends with the first error that a retry cannot mend', async () => {
  const { items, error, resumedAfter } = await followed([event('1'), event('2')], unavailable, [event('3')]);
  assert.deepEqual([items, resumedAfter, codeOf(error)], [[1, 2, 3], [undefined, '2', '2', '3'], 'NOT_FOUND']);
  for (const code of ['UNAUTHORIZED', 'NOT_FOUND', 'UNHANDLED'] as const) {
    const refused = await followed([event('1')], new ApiError(code), [event('2')]);
    assert.deepEqual([refused.items, codeOf(refused.error)], [[1], code]);
  }
});

test('a stream without an event so far reports any error', async () => {
  const { error, resumedAfter } = await followed(unavailable, [event('1')]);
  assert.deepEqual([error, resumedAfter], [unavailable, [undefined]]);
});

test('pauses double from 1 s, or the time that the server sends, up to 30 s, with at most a quarter added, and begin again after an event', async () => {
  const lost = Array.from({ length: 6 }, () => unavailable);
  const { pauses } = await followed([event('1')], ...lost, [{ ...event('2'), retry: 200 }], unavailable);
  const expected = [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 200, 400];
  assert.equal(pauses.length, expected.length);
  for (const [i, base] of expected.entries()) {
    const pause = pauses[i] ?? Number.NaN;
    assert.ok(pause >= base && pause <= base * 1.25, `pause ${i}: ${pause} ms, expected ${base} to ${base * 1.25}`);
  }
});
