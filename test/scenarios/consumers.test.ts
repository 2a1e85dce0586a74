import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Change, ConsumeOptions } from '../../src/index.ts';
import { awayWhile } from '../support/altered-storage.ts';
import { type App, onEveryStore, openApp, SECRET_KEY } from '../support/app.ts';
import type { TestClock } from '../support/clock.ts';
import { newSharedStorage, type SharedStorage } from '../support/stores.ts';
import { until } from '../support/until.ts';

const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i);

let serial = 0;
const addServices = async ({ controller }: App, count: number): Promise<void> => {
  for (let i = 0; i < count; i++) await controller.api.services.create({ body: { name: `service ${++serial}`, encryptionRequired: true } });
};
const newest = async ({ controller }: App): Promise<number> => (await controller.api.changes.list()).pagination.totalCount;

/** A controller on a store that others share, and what its consumer was given. */
const openConsumer = async (store: string, shared: SharedStorage, options: ConsumeOptions & { readonly changesKept?: number } = {}) => {
  const { changesKept = 1000, ...consume } = options;
  const adapter = shared.adapter();
  let isLost = false;
  const storage = awayWhile(adapter, () => isLost);
  const app = await openApp(store, { storage, secretKey: adapter.secretKey ?? SECRET_KEY, settings: { changesKept } });
  const given: number[] = [];
  const handlers: ((change: Change, context: { readonly signal: AbortSignal }) => unknown)[] = [];
  const start = () =>
    app.controller.changes.consume(
      'mirror',
      (change, context) => {
        given.push(change.revision);
        return handlers[0]?.(change, context);
      },
      consume,
    );
  return {
    app,
    given,
    lose: () => void (isLost = true),
    start,
    handle: (handler: (typeof handlers)[number]) => void (handlers[0] = handler),
  };
};

/** Lets time pass on some clocks until something is so. */
const passing = async (clocks: readonly TestClock[], isSo: () => boolean | Promise<boolean>): Promise<void> =>
  until(async () => {
    for (const clock of clocks) clock.advance('100ms');
    return isSo();
  });

onEveryStore('consumers of changes', (_, store) => {
  test('a consumer is given every change in order, and continues where it stopped after a restart', async () => {
    await using shared = newSharedStorage(store);
    const one = await openConsumer(store, shared, { at: 'oldest' });
    await using _app = one.app;
    const consumer = one.start();
    const last = await newest(one.app);
    await until(() => one.given.length === last);
    await addServices(one.app, 5);
    await until(() => one.given.length === last + 5);
    await consumer.close();
    await addServices(one.app, 3);
    await one.app.close();
    const next = await openConsumer(store, shared, { at: 'oldest' });
    await using _next = next.app;
    next.start();
    const end = await newest(next.app);
    await until(() => next.given.at(-1) === end);
    assert.deepEqual([...one.given, ...next.given], from(1, end));
  });

  test('one that is new begins with the next change, unless it is set otherwise, and is given the kinds that it wants', async () => {
    await using shared = newSharedStorage(store);
    const { app } = await openConsumer(store, shared);
    await using _app = app;
    const seen: string[] = [];
    const note = ({ action, after }: Change<'identity'>) => void seen.push(`${action} ${after?.name}`);
    await app.controller.changes.consume('people', note, { kinds: ['identity'] }).ready;
    await addServices(app, 2);
    await app.controller.api.identities.create({ body: { name: 'ann', type: 'User', isAdmin: false } });
    await until(() => seen.length > 0);
    assert.deepEqual(seen, ['create ann']);
  });

  test('a change that a handler rejects comes again after a pause that grows, and no other comes before it', async () => {
    await using shared = newSharedStorage(store);
    const one = await openConsumer(store, shared);
    await using app = one.app;
    const begin = await newest(app);
    let failures = 3;
    one.handle(({ revision }) => {
      if (revision === begin + 2 && failures-- > 0) throw new Error('not now');
    });
    await one.start().ready;
    await addServices(app, 3);
    await until(() => one.given.length === 2);
    const times: number[] = [];
    const started = app.clock.now();
    await passing([app.clock], () => {
      if (one.given.length - 2 > times.length) times.push(Math.round((app.clock.now() - started) / 1000));
      return one.given.length === 6;
    });
    assert.deepEqual(one.given, [begin + 1, begin + 2, begin + 2, begin + 2, begin + 2, begin + 3]);
    assert.deepEqual(times.slice(0, 3), [1, 3, 7]);
    assert.ok(app.log.some((line) => line.includes('not now')));
  });

  test('of the consumers of a name one is at work, and another takes over when it is closed', async () => {
    await using shared = newSharedStorage(store);
    const one = await openConsumer(store, shared, { at: 'oldest' });
    await using _one = one.app;
    const other = await openConsumer(store, shared, { at: 'oldest' });
    await using _other = other.app;
    const consumer = one.start();
    await until(async () => one.given.length === (await newest(one.app)));
    other.start();
    await addServices(other.app, 3);
    const clocks = [one.app.clock, other.app.clock];
    await passing(clocks, async () => one.given.length === (await newest(one.app)));
    assert.deepEqual(other.given, []);
    await consumer.close();
    await addServices(one.app, 3);
    const end = await newest(one.app);
    await passing(clocks, () => other.given.at(-1) === end);
    assert.deepEqual([...one.given, ...other.given], from(1, end));
  });

  test('another takes over from a controller that was lost, and misses nothing', async () => {
    await using shared = newSharedStorage(store);
    const one = await openConsumer(store, shared, { at: 'oldest' });
    await using _one = one.app;
    const other = await openConsumer(store, shared, { at: 'oldest' });
    await using _other = other.app;
    one.start();
    await until(async () => one.given.length === (await newest(one.app)));
    one.lose();
    const last = one.given.length;
    other.start();
    await addServices(other.app, 3);
    await passing([other.app.clock], () => other.given.length === 3);
    assert.deepEqual(other.given, from(last + 1, last + 3));
  });

  test('a handler learns when another controller has taken over', async () => {
    await using shared = newSharedStorage(store);
    const one = await openConsumer(store, shared);
    await using _one = one.app;
    const other = await openConsumer(store, shared);
    await using _other = other.app;
    let told: unknown;
    one.handle((_, { signal }) => new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve((told = signal.reason)))));
    await one.start().ready;
    await addServices(one.app, 2);
    await until(() => one.given.length === 1);
    // A clock that is ahead takes the lease from a holder that is alive.
    other.app.clock.advance('1h');
    other.start();
    await until(() => other.given.length === 2);
    assert.deepEqual(other.given, from(one.given[0] ?? 0, (one.given[0] ?? 0) + 1));
    await passing([one.app.clock], () => told !== undefined);
    assert.equal(Object(told).name, 'LeaseLost');
  });

  test('a change that was dealt with when the consumer was asked to stop counts, and one that was not comes again', async () => {
    await using shared = newSharedStorage(store);
    const one = await openConsumer(store, shared);
    await using app = one.app;
    one.handle((_, { signal }) => new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve())));
    const consumer = one.start();
    await consumer.ready;
    await addServices(app, 3);
    await until(() => one.given.length === 1);
    await consumer.close();
    const leases = (await app.rows('lease')).map(({ id }) => id);
    assert.deepEqual(
      leases.filter((id) => id.startsWith('consumer/')),
      [],
    );
    one.handle((_, { signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))));
    const next = one.start();
    await until(() => one.given.length === 2);
    await next.close();
    one.handle(() => {});
    one.start();
    await until(() => one.given.length === 4);
    const [first = 0] = one.given;
    assert.deepEqual(one.given, [first, first + 1, first + 1, first + 2]);
  });

  test('one that slept for too long learns what is missing, and continues when that was dealt with', async () => {
    await using shared = newSharedStorage(store);
    const missing: { from: number; to: number }[] = [];
    const one = await openConsumer(store, shared, { changesKept: 5, onMissing: (gap) => void missing.push(gap) });
    await using app = one.app;
    const consumer = one.start();
    await consumer.ready;
    await addServices(app, 1);
    await until(() => one.given.length === 1);
    await consumer.close();
    await addServices(app, 10);
    one.start();
    await until(() => one.given.length === 6);
    const [first = 0] = one.given;
    assert.deepEqual(missing, [{ from: first + 1, to: first + 5 }]);
    assert.deepEqual(one.given, [first, ...from(first + 6, first + 10)]);
  });

  test('one that has no instruction about missing changes stands still, and says so in the log', async () => {
    await using shared = newSharedStorage(store);
    const one = await openConsumer(store, shared, { changesKept: 5 });
    await using app = one.app;
    const consumer = one.start();
    await consumer.ready;
    await consumer.close();
    await addServices(app, 10);
    one.start();
    await passing([app.clock], () => app.log.some((line) => /were dropped from the change log.*onMissing/.test(line)));
    assert.deepEqual(one.given, []);
  });

  test('a name, a kind, a beginning or an option that is none is refused', async () => {
    await using shared = newSharedStorage(store);
    const { app } = await openConsumer(store, shared);
    await using _app = app;
    const { consume } = app.controller.changes;
    const handler = () => {};
    for (const name of ['', 'a b', 'x'.repeat(65), '\u00e9']) assert.throws(() => consume(name, handler), /requires a name of 1 to 64/);
    assert.throws(() => consume('a', handler, { kinds: ['unicorn' as 'identity'] }), /kinds of entities that have changes, got 'unicorn'/);
    assert.throws(() => consume('a', handler, { at: 'now' as 'next' }), /'oldest' or 'next', got 'now'/);
    assert.throws(() => consume('a', handler, { kind: ['identity'] } as object), /did you mean 'kinds'/);
    assert.throws(() => consume('a', undefined as unknown as () => void), /requires a handler function/);
  });
});
