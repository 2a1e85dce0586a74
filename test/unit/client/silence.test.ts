/** Streams of events that go silent: a connection that nobody closed is told from one on which nothing happens. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { eventsIn } from '../../../client/events.ts';
import { ApiError } from '../../../src/index.ts';

/** A controller sends a comment every 15 seconds: three that are missing mean that the connection is lost. */
const MOST_SILENCE_MS = 45_000;

/** An answer whose parts come when the test says so, read under a clock that stands still. */
const stream = (t: TestContext) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let body: ReadableStreamDefaultController<Uint8Array> | undefined;
  let isCancelled = false;
  const source = new ReadableStream<Uint8Array>({
    start: (controller) => {
      body = controller;
    },
    cancel: () => {
      isCancelled = true;
    },
  });
  const events = eventsIn(new Response(source));
  return {
    events,
    send: (text: string) => body?.enqueue(new TextEncoder().encode(text)),
    end: () => body?.close(),
    fail: (error: Error) => body?.error(error),
    isCancelled: () => isCancelled,
    /** Time goes by, once what was sent has been read. */
    pass: async (ms: number) => {
      for (let turn = 0; turn < 5; turn++) await setImmediate();
      t.mock.timers.tick(ms);
      for (let turn = 0; turn < 5; turn++) await setImmediate();
    },
  };
};

/** What has become of a promise so far. */
const stateOf = <T>(promise: Promise<T>) => {
  const state: { value?: T; error?: unknown } = {};
  promise.then(
    (value) => Object.assign(state, { value }),
    (error: unknown) => Object.assign(state, { error }),
  );
  return state;
};

const assertLost = (error: unknown, words: RegExp) => {
  assert.ok(error instanceof ApiError && error.code === 'SERVER_UNAVAILABLE', String(error));
  assert.match(error.cause?.message ?? '', words);
};

test('a stream on which nothing comes for 45 seconds is lost, not earlier, and its connection is given up', async (t) => {
  const { events, pass, isCancelled } = stream(t);
  const next = stateOf(events.next());
  await pass(MOST_SILENCE_MS - 1);
  assert.deepEqual([next, isCancelled()], [{}, false]);
  await pass(1);
  assertLost(next.error, /got no answer: no event arrived for 45000 ms$/);
  assert.ok(isCancelled());
  assert.deepEqual(await events.next(), { done: true, value: undefined });
});

test('comments, and parts of an event, do not count as silence', async (t) => {
  const { events, pass, send } = stream(t);
  const next = stateOf(events.next());
  for (const part of [':\n\n', ':\n\n', 'data: a', '\nid: 1', '\n']) {
    await pass(MOST_SILENCE_MS - 1);
    send(part);
  }
  await pass(MOST_SILENCE_MS - 1);
  assert.deepEqual(next, {});
  send('\n');
  await pass(0);
  assert.deepEqual(next, { value: { done: false, value: { data: 'a', id: '1' } } });
});

test('the time that a reader takes for an event does not count as silence', async (t) => {
  const { events, pass, send } = stream(t);
  send('data: 1\n\n');
  assert.deepEqual(await events.next(), { done: false, value: { data: '1' } });
  await pass(10 * MOST_SILENCE_MS);
  send('data: 2\n\n');
  assert.deepEqual(await events.next(), { done: false, value: { data: '2' } });
});

test('a stream that ends, or is no longer read, leaves no connection, and nothing that fails later', async (t) => {
  const ended = stream(t);
  const last = ended.events.next();
  await setImmediate();
  ended.end();
  assert.deepEqual(await last, { done: true, value: undefined });
  t.mock.timers.reset();

  const left = stream(t);
  left.send('data: 1\n\n');
  for await (const _ of left.events) break;
  const unhandled: unknown[] = [];
  const note = (error: unknown) => void unhandled.push(error);
  process.on('unhandledRejection', note);
  await left.pass(MOST_SILENCE_MS);
  process.off('unhandledRejection', note);
  assert.deepEqual([left.isCancelled(), unhandled], [true, []]);
});

test('a stream that is over keeps no process alive', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
  const before = timers();
  const read: unknown[] = [];
  for await (const event of eventsIn(new Response('data: 1\n\ndata: 2\n\n'))) read.push(event);
  assert.equal(read.length, 2);
  assert.ok(timers() <= before, `${timers()} timers, ${before} before`);
});

test('a stream that breaks is lost at once, with its reason', async (t) => {
  const { events, pass, fail } = stream(t);
  const next = stateOf(events.next());
  await pass(1);
  fail(new Error('the connection was reset'));
  await pass(0);
  assertLost(next.error, /got no answer: the connection was reset$/);
});
