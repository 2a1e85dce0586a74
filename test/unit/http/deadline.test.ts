import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Deadline, timeout } from '../../../src/http/deadline.ts';
import { createSharedTimer } from '../../../src/runtime/platform/clock.ts';
import { ask, handlerOf, M, requestOf } from './fake-api.ts';

const never = () => new Promise<never>(() => undefined);

test('work that does not end is given up with 503, and told to stop', async () => {
  let signal: AbortSignal | undefined;
  const slow = handlerOf(
    {
      get: (source) => {
        signal = source.signal;
        return never();
      },
    },
    { requestTimeoutMs: 20 },
  );
  const { status, json } = await ask(slow, 'GET', `${M}/things/a`);
  assert.deepEqual([status, json.error?.code], [503, 'TIMEOUT']);
  assert.equal(signal?.aborted, true);
  assert.throws(() => signal?.throwIfAborted(), { code: 'TIMEOUT', status: 503 });
});

test('of a change that took too long it is said that nobody knows whether it was made, of what only reads it is not', async () => {
  const slow = handlerOf({ create: never, remove: never, get: never }, { requestTimeoutMs: 10 });
  const causes = await Promise.all([
    ask(slow, 'POST', `${M}/things`, { body: '{"name":"a"}' }),
    ask(slow, 'DELETE', `${M}/things/a`),
    ask(slow, 'GET', `${M}/things/a`),
  ]);
  assert.deepEqual(
    causes.map(({ status, json }) => [
      status,
      json.error?.code,
      /unknown whether the change was made/.test(json.error?.cause?.message ?? ''),
    ]),
    [
      [503, 'TIMEOUT', true],
      [503, 'TIMEOUT', true],
      [503, 'TIMEOUT', false],
    ],
  );
});

test('work that ends well when it is asked to stop is answered, work that then fails took too long', async () => {
  const told = (signal: AbortSignal | undefined) => new Promise((resolve) => signal?.addEventListener('abort', resolve));
  const slow = handlerOf(
    {
      create: ({ signal }) => told(signal).then(() => ({ id: 'a' })),
      remove: ({ signal }) => told(signal).then(() => signal?.throwIfAborted()),
    },
    { requestTimeoutMs: 10 },
  );
  const created = await ask(slow, 'POST', `${M}/things`, { body: '{"name":"a"}' });
  assert.deepEqual([created.status, created.json.error], [201, undefined]);
  const removed = await ask(slow, 'DELETE', `${M}/things/a`);
  assert.match(removed.json.error?.cause?.message ?? '', /unknown whether/);
  assert.equal(removed.headers['retry-after'], undefined, 'it may have been carried out');
});

test('a signal first asked for when it is too late is aborted', async () => {
  const [gate, late] = [Promise.withResolvers<void>(), Promise.withResolvers<AbortSignal | undefined>()];
  const slow = handlerOf(
    {
      get: async (source) => {
        await gate.promise;
        late.resolve(source.signal);
        return {};
      },
    },
    { requestTimeoutMs: 10 },
  );
  const read = await ask(slow, 'GET', `${M}/things/a`);
  assert.deepEqual([read.status, read.headers['retry-after']], [503, '1']);
  gate.resolve();
  assert.equal((await late.promise)?.aborted, true);
});

test('a body that does not come is the client’s fault', async () => {
  const slow = handlerOf({}, { requestTimeoutMs: 20 });
  const answer = await slow({ ...requestOf('POST', `${M}/things`, { body: '{}' }), body: never });
  assert.equal(answer.status, 408);
  assert.equal(answer.headers['retry-after'], '1');
});

test('when the client goes away the work is asked to stop', async () => {
  const client = new AbortController();
  let stopped = false;
  const begun = Promise.withResolvers<void>();
  const slow = handlerOf({
    get: (source) =>
      new Promise((resolve) => {
        source.signal?.addEventListener('abort', () => resolve((stopped = true)));
        begun.resolve();
      }),
  });
  const answer = ask(slow, 'GET', `${M}/things/a`, { signal: client.signal });
  await begun.promise;
  client.abort();
  await answer;
  assert.equal(stopped, true);
});

test('a client that is gone already is noticed', async () => {
  const slow = handlerOf({ get: (source) => source.signal?.aborted });
  assert.equal((await ask(slow, 'GET', `${M}/things/a`, { signal: AbortSignal.abort() })).json.data, true);
});

test('neither timers nor listeners outlive the work', async () => {
  const client = new AbortController();
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = timers();
  let listeners = 0;
  const { signal } = client;
  const counted = {
    get aborted() {
      return signal.aborted;
    },
    addEventListener: () => listeners++,
    removeEventListener: () => listeners--,
  } as unknown as AbortSignal;
  const quick = handlerOf({ get: (source) => source.signal?.aborted });
  for (let i = 0; i < 100; i++) await ask(quick, 'GET', `${M}/things/a`, { signal: counted });
  assert.equal(timers(), before);
  assert.equal(listeners, 0);
});

test('no limit means no limit', async () => {
  assert.equal(await new Deadline(createSharedTimer(Infinity), {}).race(sleep(5, 'done'), () => timeout('late')), 'done');
});
