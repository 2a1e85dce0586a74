import assert from 'node:assert/strict';
import { test } from 'node:test';
import { restoreSnapshot } from '../../src/index.ts';
import { proves } from '../specification.ts';
import { type App, onEveryStore, openApp } from '../support/app.ts';
import { assertRefused } from '../support/refusals.ts';
import { everything, fill } from '../support/snapshots.ts';
import { newSharedStorage } from '../support/stores.ts';
import { until } from '../support/until.ts';

const STATE = '/edge/management/extensions/v1/database/snapshot';
const state = async (app: App) => (await app.request('GET', STATE)).body.data;

const silent = { error: () => undefined, warn: () => undefined, info: () => undefined };

onEveryStore('snapshots', (open, store) => {
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
    assert.match((await state(first)).error, /could not be stored/);
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

  test('the answer to a snapshot leads to its name, which stays that of the last one that was kept', async () => {
    await using shared = newSharedStorage(store);
    const names: string[] = [];
    let fails = false;
    const save = async (name: string) => {
      if (fails) throw new Error('the disk is full');
      names.push(name);
    };
    await using app = await openApp(store, { storage: shared.adapter(), snapshots: { save }, platform: { logger: silent } });
    await using other = await openApp(store, { storage: shared.adapter() });
    assert.equal((await state(app)).name, null);
    const { status, body, headers } = await app.request('POST', '/database/snapshot');
    // The published API has an empty object there.
    assert.deepEqual([status, body.data, headers.location], [200, {}, STATE]);
    for (const one of [app, other]) assert.equal((await state(one)).name, names[0]);
    app.clock.advance('1m');
    fails = true;
    assertRefused(await app.request('POST', '/database/snapshot'), 503, 'SERVER_UNAVAILABLE');
    assert.deepEqual([(await state(app)).name, names.length], [names[0], 1]);
    app.clock.advance('1m');
    fails = false;
    await app.controller.api.database.createSnapshot();
    assert.equal((await app.controller.api.database.getSnapshot()).name, names[1]);
  });

  test('the fabric API answers with the name, and lets no caller choose a file of the host', async () => {
    await using shared = newSharedStorage(store);
    const names: string[] = [];
    await using app = await openApp(store, { storage: shared.adapter(), snapshots: { save: async (name) => void names.push(name) } });
    const take = (body: object) => app.request('POST', '/fabric/v1/database/snapshot', { body });
    for (const path of ['', '/etc/passwd', '__DB_DIR__/x', '../x']) {
      const { status, body } = await take({ path });
      assert.deepEqual([status, body.data], [200, { path: names.at(-1) }]);
      assert.match(names.at(-1) ?? '', /^\d{8}-\d{6}-[A-Za-z0-9_-]+$/);
      app.clock.advance('1m');
    }
    assert.equal(names.length, 4);
    assert.equal((await take({})).status, 200);
    assertRefused(await take({}), 429, 'RATE_LIMITED');
  });

  test('without a place for snapshots the answer names the option that is missing', async () => {
    await using app = await open({ snapshots: undefined });
    const refused = await app.request('POST', '/database/snapshot');
    assertRefused(refused, 409, 'NOT_CONFIGURED');
    assert.match(refused.body.error.cause.message, /option `snapshots`/);
  });

  test('one that takes long is answered 202 before the time is over, with a place to ask for its progress', async () => {
    await using shared = newSharedStorage(store);
    let fails = false;
    let { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    let { promise: slow, resolve: goOn } = Promise.withResolvers<void>();
    const save = async () => {
      begin();
      await slow;
      if (fails) throw new Error('the disk is full');
    };
    const settings = { requestTimeoutMs: 10_000 };
    await using app = await openApp(store, { storage: shared.adapter(), snapshots: { save }, platform: { logger: silent }, settings });
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
    assert.match(lost.error, /could not be stored/);
    assert.equal(lost.succeededAt, kept.succeededAt);
  });

  test('a caller in process waits for a snapshot for as long as it takes, and only an administrator may ask how it goes', async () => {
    const { promise: slow, resolve: goOn } = Promise.withResolvers<void>();
    await using shared = newSharedStorage(store);
    await using app = await openApp(store, { storage: shared.adapter(), snapshots: { save: () => slow } });
    const { login } = await app.user();
    const token = await login();
    const taken = app.controller.api.database.createSnapshot();
    await until(async () => (await state(app)).inProgress);
    app.clock.advance('10m');
    goOn();
    assert.deepEqual(await taken, {});
    assert.equal((await state(app)).inProgress, false);
    assertRefused(await app.request('GET', STATE, { as: token }), 401, 'UNAUTHORIZED');
  });
});
