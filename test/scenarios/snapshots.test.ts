import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sqliteStorage } from '../../adapters/storage/kysely/index.ts';
import { type KindName, kinds } from '../../src/api/index.ts';
import { restoreSnapshot, SnapshotRefused } from '../../src/index.ts';
import type { Row } from '../../src/storage/port.ts';
import { storageSchema } from '../../src/storage/schema.ts';
import { proves } from '../specification.ts';
import { type App, onEveryStore, openApp, PASSWORD } from '../support/app.ts';
import { integrityRun } from '../support/integrity.ts';
import { assertRefused } from '../support/refusals.ts';
import { newSharedStorage, newStorage, stores } from '../support/stores.ts';
import { until } from '../support/until.ts';

const STATE = '/edge/management/extensions/v1/database/snapshot';
const state = async (app: App) => (await app.request('GET', STATE)).body.data;

/** All that a snapshot holds, by kind. */
const everything = async (app: App): Promise<Readonly<Record<string, readonly Row[]>>> => {
  const stored = (Object.keys(kinds) as KindName[]).filter((kind) => kinds[kind].view === undefined && !('unrecorded' in kinds[kind]));
  return Object.fromEntries(await Promise.all(stored.map(async (kind) => [kind, await app.rows(kind)] as const)));
};

const snapshotOf = async (app: App): Promise<string> => {
  assert.equal((await app.request('POST', '/database/snapshot')).status, 200);
  return [...app.snapshots.values()].at(-1) ?? '';
};

/** Something of many kinds, with texts that are easily lost. */
const fill = async (app: App) => {
  const user = await app.user({ roleAttributes: ['sales', 'é😀'], appData: { deep: [1.5, null, '\u2028"\n'] }, tags: { a: null } });
  const token = await user.login();
  await app.create('/services', { name: 'printer', encryptionRequired: true, roleAttributes: ['a'] });
  await app.create('/edge-routers', { name: 'edge', isTunnelerEnabled: true });
  await app.create('/service-policies', { name: 'p', type: 'Dial', semantic: 'AnyOf', identityRoles: ['#sales'], serviceRoles: ['#all'] });
  return { user, token };
};

onEveryStore('snapshots', (open, store) => {
  for (const to of stores) {
    test(`all that was there is there after a restore into ${to}, and goes on from its revision`, async () => {
      await using app = await open();
      const { user, token } = await fill(app);
      const before = await everything(app);
      const snapshot = await snapshotOf(app);

      await using shared = newSharedStorage(to);
      const restored = await restoreSnapshot({ storage: shared.adapter(), snapshot: [snapshot] });
      assert.equal(restored.rows, Object.values(before).flat().length);
      assert.equal(restored.revision, before.change?.length);
      await using again = await openApp(to, { storage: shared.adapter() });
      assert.equal(again.controller.firstAdministrator, undefined, 'the network has its administrator');
      // The administrator's login of `openApp` is new.
      const { apiSession: _, change: __, ...rest } = await everything(again);
      const { apiSession: ___, change: ____, ...expected } = before;
      assert.deepEqual(rest, expected);
      const { apiSession, change } = await everything(again);
      assert.deepEqual(change?.slice(0, before.change?.length), before.change);
      assert.deepEqual(
        before.apiSession?.filter(({ id }) => !apiSession?.some((session) => session.id === id)),
        [],
      );
      assert.equal(change?.at(-1)?.revision, restored.revision + 1);

      assert.equal((await again.request('GET', '/current-identity', { as: token })).body.data.id, user.id);
      assert.equal((await again.login(user.username, PASSWORD)).status, 200);
      assert.deepEqual((await integrityRun(again, 'check')).results, []);
    });
  }

  test('a snapshot is of one moment, however long it takes and whatever is written meanwhile', proves(8, 385), async () => {
    await using shared = newSharedStorage(store);
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const { promise: written, resolve: goOn } = Promise.withResolvers<void>();
    let snapshot = '';
    const save = async (_: string, parts: AsyncIterable<string>) => {
      for await (const part of parts) {
        snapshot += part;
        begin();
        await written;
      }
    };
    await using app = await openApp(store, { storage: shared.adapter(), snapshots: { save } });
    const { user } = await fill(app);
    const before = await everything(app);
    const taken = app.request('POST', '/database/snapshot');
    await begun;
    await app.create('/identities', { name: 'later', type: 'User', isAdmin: false });
    await app.request('PATCH', `/identities/${user.id}`, { body: { name: 'renamed' } });
    await app.request('DELETE', `/authenticators/${user.authenticatorId}`);
    goOn();
    assert.equal((await taken).status, 200);

    await using empty = newSharedStorage(store);
    await restoreSnapshot({ storage: empty.adapter(), snapshot: [snapshot] });
    await using again = await openApp(store, { storage: empty.adapter() });
    assert.deepEqual(
      [(await everything(again)).identity, (await everything(again)).authenticator],
      [before.identity, before.authenticator],
    );
  });

  test('a restored snapshot gives the same snapshot', async () => {
    await using app = await open();
    await fill(app);
    const first = await snapshotOf(app);
    await using shared = newSharedStorage(store);
    await restoreSnapshot({ storage: shared.adapter(), snapshot: [first] });
    await using again = await openApp(store, { storage: shared.adapter() });
    const second = await snapshotOf(again);
    // The session of the second app, and its two changes, are new; so are head and end.
    const lines = (text: string) => text.trimEnd().split('\n').slice(1, -1);
    const missing = lines(first).filter((line) => !lines(second).includes(line));
    assert.deepEqual(missing, []);
    assert.equal(lines(second).length, lines(first).length + 2);
  });

  test('at most one a minute, on all controllers of a network; one that failed does not count', proves(385, 414, 456, 471), async () => {
    await using shared = newSharedStorage(store);
    let isFull = true;
    const save = () => (isFull ? Promise.reject(new Error('the disk is full')) : Promise.resolve());
    await using first = await openApp(store, { storage: shared.adapter(), snapshots: { save }, platform: { logger: silent } });
    await using second = await openApp(store, { storage: shared.adapter() });
    const failed = await first.request('POST', '/database/snapshot');
    assertRefused(failed, 503, 'SERVER_UNAVAILABLE');
    assert.ok(Number(failed.headers['retry-after']) > 0);
    assert.doesNotMatch(failed.text, /disk/, 'what is the matter with the place stands in the log');
    assert.match((await state(first)).error, /did not take it/);
    isFull = false;
    assert.equal((await first.request('POST', '/database/snapshot')).status, 200);
    for (const app of [first, second]) {
      const refused = await app.request('POST', '/database/snapshot');
      assertRefused(refused, 429, 'RATE_LIMITED');
      assert.equal(refused.headers['retry-after'], '60');
    }
    second.clock.advance('59s');
    assertRefused(await second.request('POST', '/database/snapshot'), 429, 'RATE_LIMITED');
    second.clock.advance('1s');
    assert.equal((await second.request('POST', '/database/snapshot')).status, 200);
  });

  test('without a place for snapshots the answer names the option that is missing', async () => {
    await using app = await open({ snapshots: undefined });
    const refused = await app.request('POST', '/database/snapshot');
    assertRefused(refused, 409, 'NOT_CONFIGURED');
    assert.match(refused.body.error.cause.message, /option `snapshots`/);
  });

  test('one that takes long is answered 202 before the time is over, with a place to ask how it goes on', async () => {
    await using shared = newSharedStorage(store);
    let fails = false;
    let { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    let { promise: slow, resolve: goOn } = Promise.withResolvers<void>();
    const save = async () => {
      begin();
      await slow;
      if (fails) throw new Error('the disk is full');
    };
    await using app = await openApp(store, { storage: shared.adapter(), snapshots: { save }, platform: { logger: silent } });
    const take = async () => {
      const answer = app.request('POST', '/database/snapshot');
      await begun;
      app.clock.advance('8s'); // of the ten that a request has
      const { status, body, headers } = await answer;
      assert.deepEqual([status, body.data, headers.location], [202, {}, STATE]);
      const { startTime, endTime, inProgress } = await state(app);
      assert.deepEqual([typeof startTime, endTime, inProgress], ['string', null, true]);
      assertRefused(await app.request('POST', '/database/snapshot'), 429, 'RATE_LIMITED');
      goOn();
      await until(async () => !(await state(app)).inProgress);
      return state(app);
    };
    const kept = await take();
    assert.deepEqual([kept.error, kept.succeededAt], [null, new Date(app.clock.now()).toISOString()]);
    app.clock.advance('1m');
    ({ promise: begun, resolve: begin } = Promise.withResolvers<void>());
    ({ promise: slow, resolve: goOn } = Promise.withResolvers<void>());
    fails = true;
    const lost = await take();
    assert.match(lost.error, /did not take it/);
    assert.equal(lost.succeededAt, kept.succeededAt);
  });

  test('a caller in process waits for a snapshot for as long as it takes, and only an administrator may ask how it goes', async () => {
    const { promise: slow, resolve: goOn } = Promise.withResolvers<void>();
    await using shared = newSharedStorage(store);
    await using app = await openApp(store, { storage: shared.adapter(), snapshots: { save: () => slow } });
    const { login } = await app.user();
    const token = await login();
    const taken = app.controller.database.createSnapshot();
    await until(async () => (await state(app)).inProgress);
    app.clock.advance('10m');
    goOn();
    assert.deepEqual(await taken, {});
    assert.equal((await state(app)).inProgress, false);
    assertRefused(await app.request('GET', STATE, { as: token }), 401, 'UNAUTHORIZED');
  });

  test('a store that has rows of one kind only, whichever it is, is not empty', async () => {
    await using app = await open();
    const snapshot = await snapshotOf(app);
    for (const { kind } of [storageSchema[0], storageSchema.at(-1)].filter((kind) => kind !== undefined)) {
      await using shared = newSharedStorage(store);
      const other = await shared.adapter().open(storageSchema);
      const row = { id: 'a', version: 1, createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' };
      await other.transaction('write', (tx) => tx.insert(kind, row));
      await assert.rejects(
        restoreSnapshot({ storage: shared.adapter(), snapshot: [snapshot] }),
        refusal(new RegExp(`has rows of ${kind}:`)),
      );
      await other.close();
    }
  });

  test('a store that is not empty is left as it is', async () => {
    await using app = await open();
    const snapshot = await snapshotOf(app);
    await using shared = newSharedStorage(store);
    await using other = await openApp(store, { storage: shared.adapter() });
    const before = await everything(other);
    await assert.rejects(restoreSnapshot({ storage: shared.adapter(), snapshot: [snapshot] }), refusal(/empty store only/));
    assert.deepEqual(await everything(other), before);
  });
});

test('a snapshot that is cut short or changed anywhere is refused, and nothing of it is kept', async () => {
  await using app = await openApp('memory');
  await fill(app);
  const bytes = Buffer.from(await snapshotOf(app));
  const damaged = fc.oneof(
    fc.nat(bytes.length - 1).map((length) => bytes.subarray(0, length)),
    fc.tuple(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 })).map(([at, by]) => {
      const copy = Buffer.from(bytes);
      copy[at] = (copy[at] ?? 0) ^ by;
      return copy;
    }),
    fc.constant(Buffer.concat([bytes, Buffer.from('{}\n')])),
    fc.constant(Buffer.from('')),
  );
  await fc.assert(
    fc.asyncProperty(damaged, async (snapshot) => {
      const storage = newStorage('memory');
      // In parts that end anywhere, as a stream gives them.
      const parts = [snapshot.subarray(0, 1000), snapshot.subarray(1000, 1001), snapshot.subarray(1001)];
      await assert.rejects(restoreSnapshot({ storage, snapshot: parts }), refusal(/./));
      assert.ok((await restoreSnapshot({ storage, snapshot: [bytes] })).rows > 0, 'the store is still empty');
    }),
    { numRuns: 60 },
  );
});

test('what is no snapshot of this version is refused with what to do', async () => {
  const refuse = (text: string, why: RegExp) =>
    assert.rejects(restoreSnapshot({ storage: newStorage('memory'), snapshot: [text] }), refusal(why));
  await refuse('hello\n', /line 1: that is no JSON object/);
  await refuse('{"a":1}\n', /line 1: that is not how a snapshot begins/);
  await refuse('{"snapshot":"overlay-controller","format":99,"revision":0}\n', /format 99.*newer/);
  const head = '{"snapshot":"overlay-controller","format":1,"revision":0}\n';
  await refuse(`${head}{"kind":"spaceship","row":{"id":"a","version":1,"createdAt":"","updatedAt":""}}\n`, /rows of spaceship/);
  await refuse(`${head}{"kind":"identity","row":{"id":5}}\n`, /line 2: that is no row/);
});

test('of two networks in one database a snapshot holds one', async () => {
  const storage = sqliteStorage({ file: ':memory:' });
  await using first = await openApp('sqlite', { storage: storage.within('one') });
  await using second = await openApp('sqlite', { storage: storage.within('two') });
  await second.user({ name: 'somebody of the other network' });
  assert.ok(!(await snapshotOf(first)).includes('somebody of the other network'));
});

const refusal = (why: RegExp) => (error: unknown) => {
  assert.ok(error instanceof SnapshotRefused, String(error));
  assert.match(error.message, why);
  return true;
};

const silent = { error: () => undefined, warn: () => undefined, info: () => undefined };
