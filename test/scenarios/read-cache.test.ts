import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryDatabase, memoryStorage } from '../../adapters/storage/memory/index.ts';
import type { CachedTransaction } from '../../src/store/read-cache/cached-transaction.ts';
import type { StorageAdapter, Store } from '../../src/store/storage/port.ts';
import { storageSchema } from '../../src/store/storage/schema.ts';
import { type App, onEveryStore, openApp, SECRET_KEY } from '../support/app.ts';
import { list } from '../support/lists.ts';
import { openBesideReadCache } from '../support/read-cache/beside.ts';
import { newSharedStorage, stores } from '../support/stores.ts';

onEveryStore('what is read from memory', (_, store) => {
  test('keeps no session from living on by what it does on another controller', async () => {
    await using shared = newSharedStorage(store);
    const join = () => openApp(store, { storage: shared.adapter() });
    await using here = await join();
    await using there = await join();
    const as = await (await here.user()).login();
    const status = async (app: App) => (await app.request('GET', '/current-identity', { as })).status;
    assert.equal(await status(there), 200);
    for (let i = 0; i < 3; i++) {
      for (const app of [here, there]) app.clock.advance('29m');
      assert.equal(await status(here), 200);
      await here.settled();
    }
    assert.equal(await status(there), 200, 'it was active half an hour ago, elsewhere');
    for (const app of [here, there]) app.clock.advance('31m');
    assert.equal(await status(there), 401);
  });
});

test('a database that lost its last commits is read as it is', async () => {
  const [primary, database] = [memoryStorage(), memoryDatabase()];
  const standby = memoryStorage({ database });
  let current: Store | undefined;
  const stores: Store[] = [];
  const storage: StorageAdapter = {
    open: async (schema) => {
      stores.push(await primary.open(schema), await standby.open(schema));
      [current] = stores;
      const now = () => current as Store; // opened above
      return {
        transaction: (mode, work, options) => now().transaction(mode, work, options),
        join: (host) => now().join(host),
        close: async () => {
          for (const each of stores) await each.close();
        },
      };
    },
  };
  await using app = await openApp('memory', { storage, secretKey: SECRET_KEY });
  const id = await app.create('/identities', { name: 'before', type: 'Device', isAdmin: false, roleAttributes: ['a'] });
  const name = async () => (await app.request('GET', `/identities/${id}`)).body.data.name;
  const carriers = async (limit = 10) => (await list(app, '/identities', { roleFilter: '#a', limit })).body.meta.pagination.totalCount;
  for (const limit of [2, 3, 4]) assert.equal(await carriers(limit), 1);
  await app.settled();
  await copy(stores);
  for (const lost of ['a', 'b', 'c']) await app.create('/services', { name: lost, encryptionRequired: true });
  assert.equal(await name(), 'before');
  assert.equal(await carriers(), 1);
  await using other = await openApp('memory', { storage: standby, secretKey: SECRET_KEY });
  await other.request('PATCH', `/identities/${id}`, { body: { name: 'after', roleAttributes: [] } });
  current = stores[1];
  assert.equal(await name(), 'after');
  assert.equal(await carriers(), 0);
  await app.request('PATCH', `/identities/${id}`, { body: { name: 'later' } });
  assert.equal(await name(), 'later');
});

/** Makes the second store what the first one is. */
const copy = async ([from, to]: readonly Store[]): Promise<void> => {
  assert.ok(from && to);
  await from.transaction('read', (source) =>
    to.transaction('write', async (target) => {
      for (const { kind } of storageSchema)
        for (const row of await source.list(kind, { where: { op: 'all' } })) await target.insert(kind, row);
      await target.nextRevision(await source.revision());
    }),
  );
};

for (const name of stores) {
  /** A read cache that has read nothing, a service, and transactions that read through the cache. */
  const beside = async () => {
    const ground = await openBesideReadCache(name);
    const { app, store, cache } = ground;
    const id = await app.create('/services', { name: 'before', encryptionRequired: true });
    const nameIn = async (cached: CachedTransaction) => (await cached.get('service', id))?.name;
    const read = <T>(work: (cached: CachedTransaction) => Promise<T>): Promise<T> =>
      store.transaction('read', (tx) => work(cache.reading(tx)));
    return { ...ground, id, nameIn, read };
  };

  test(`a transaction reads what it has written, and what is rolled back is not remembered (${name})`, async () => {
    await using ground = await beside();
    const { app, store, cache, id, nameIn, read } = ground;
    for (const isKnown of [true, false]) {
      if (isKnown) assert.equal(await read(nameIn), 'before');
      else cache.clear();
      const failing = store.transaction('write', async (tx) => {
        const cached = cache.writing(tx);
        const row = await tx.get('service', id);
        assert.ok(row);
        await cached.update('service', { ...row, name: 'undone', version: await cached.nextRevision() }, row.version);
        assert.equal((await cached.get('service', id))?.name, 'undone');
        throw new TypeError('changed my mind');
      });
      await assert.rejects(failing, /changed my mind/);
      // Draws the revision that was given back.
      await app.create('/services', { name: `other ${isKnown}`, encryptionRequired: true });
      assert.equal(await read(nameIn), 'before');
    }
  });
}
