import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { memoryDatabase, memoryStorage } from '../../adapters/storage/memory/index.ts';
import { equals, stringField } from '../../src/query/index.ts';
import type { CachedTransaction } from '../../src/read-cache/cached-transaction.ts';
import type { StorageAdapter, Store } from '../../src/storage/port.ts';
import { storageSchema } from '../../src/storage/schema.ts';
import { type App, onEveryStore, openApp, SECRET_KEY } from '../support/app.ts';
import { list } from '../support/lists.ts';
import { openBesideReadCache } from '../support/read-caches.ts';
import { newSharedStorage, stores } from '../support/stores.ts';

const ATTRIBUTES = ['a', 'b', 'c'] as const;
const CONTROLLERS = 3;

/** What one of the controllers does. */
type Step = { readonly by: number } & (
  | { readonly do: 'attribute' | 'policy'; readonly of: number; readonly to: (typeof ATTRIBUTES)[number] }
  | { readonly do: 'disable' | 'enable' | 'promote' | 'demote'; readonly of: number }
);

const by = fc.nat({ max: CONTROLLERS - 1 });
const of = fc.nat({ max: 1 });
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    fc.record({ by, of, do: fc.constantFrom('attribute' as const, 'policy' as const), to: fc.constantFrom(...ATTRIBUTES) }),
    fc.record({
      by,
      of,
      do: fc.constantFrom('disable' as const, 'enable' as const, 'promote' as const, 'demote' as const),
    }),
  ),
  { minLength: 1, maxLength: 12 },
);

interface Model {
  readonly attributes: string[];
  readonly isDisabled: boolean[];
  readonly isAdmin: boolean[];
  /** The attribute that each policy selects. */
  readonly selected: string[];
}

onEveryStore('what is read from memory', (_, store) => {
  const openNetwork = async () => {
    const shared = newSharedStorage(store);
    const apps: App[] = [];
    for (let i = 0; i < CONTROLLERS; i++) {
      const storage = shared.adapter();
      apps.push(await openApp(store, { storage, secretKey: storage.secretKey ?? SECRET_KEY }));
    }
    const app = (index: number): App => apps[index] as App; // below the number of controllers
    const end = async () => {
      for (const each of [...apps, shared]) await each[Symbol.asyncDispose]();
    };
    return { app, [Symbol.asyncDispose]: end };
  };

  test('is what every controller would read from the database, whichever made the last change', async () => {
    const property = fc.asyncProperty(steps, async (random) => {
      await using network = await openNetwork();
      const first = network.app(0);
      const users = [await first.user({ roleAttributes: ['a'] }), await first.user({ roleAttributes: ['b'] })];
      const serviceIds = [];
      const policyIds = [];
      for (const [i, attribute] of ['a', 'b'].entries()) {
        serviceIds.push(await first.create('/services', { name: `s${i}`, encryptionRequired: true }));
        const body = { name: `p${i}`, type: 'Dial', semantic: 'AnyOf', serviceRoles: [`@${serviceIds[i]}`] };
        policyIds.push(await first.create('/service-policies', { ...body, identityRoles: [`#${attribute}`] }));
      }
      const tokens = await Promise.all(users.map((user) => user.login()));
      const model: Model = { attributes: ['a', 'b'], isDisabled: [false, false], isAdmin: [false, false], selected: ['a', 'b'] };
      for (const step of random) {
        await take(network.app(step.by), step, model, { users: users.map(({ id }) => id), policyIds });
        for (let index = 0; index < CONTROLLERS; index++) await assertSeen(network.app(index), model, { users, tokens, serviceIds });
      }
    });
    await fc.assert(property, { numRuns: store === 'memory' ? 20 : 6 });
  });

  test('keeps no session from living on by what it does on another controller', async () => {
    await using network = await openNetwork();
    const [here, there] = [network.app(0), network.app(1)];
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

interface Network {
  readonly users: readonly { readonly id: string }[];
  readonly tokens: readonly string[];
  readonly serviceIds: readonly string[];
}

const take = async (
  app: App,
  step: Step,
  model: Model,
  ids: { readonly users: readonly string[]; readonly policyIds: readonly string[] },
) => {
  const ask = async (method: string, path: string, body: unknown = {}) => {
    const { status, text } = await app.request(method, path, { body });
    assert.equal(status, 200, text);
  };
  const identity = `/identities/${ids.users[step.of]}`;
  switch (step.do) {
    case 'attribute':
      model.attributes[step.of] = step.to;
      return ask('PATCH', identity, { roleAttributes: [step.to] });
    case 'policy':
      model.selected[step.of] = step.to;
      return ask('PATCH', `/service-policies/${ids.policyIds[step.of]}`, { identityRoles: [`#${step.to}`] });
    case 'disable':
      model.isDisabled[step.of] = true;
      return ask('POST', `${identity}/disable`, { durationMinutes: 0 });
    case 'enable':
      model.isDisabled[step.of] = false;
      return ask('POST', `${identity}/enable`);
    default:
      model.isAdmin[step.of] = step.do === 'promote';
      return ask('PATCH', identity, { isAdmin: step.do === 'promote' });
  }
};

const assertSeen = async (app: App, model: Model, { users, tokens, serviceIds }: Network): Promise<void> => {
  for (const [i, user] of users.entries()) {
    const shown = (await app.request('GET', `/identities/${user.id}`)).body.data;
    assert.deepEqual([shown.roleAttributes, shown.disabled, shown.isAdmin], [[model.attributes[i]], model.isDisabled[i], model.isAdmin[i]]);
    const services = await list(app, `/identities/${user.id}/services`, {});
    const granted = serviceIds.filter((_, policy) => model.selected[policy] === model.attributes[i]).toSorted();
    assert.deepEqual(services.body.data.map(({ id }: { id: string }) => id).toSorted(), granted);
    // Disabling an identity ends its sessions; enabling it does not bring them back.
    const own = await app.request('GET', '/identities', { as: tokens[i] ?? null });
    if (model.isDisabled[i]) assert.equal(own.status, 401);
    else if (own.status === 200) assert.ok(model.isAdmin[i], 'only administrators list identities');
  }
};

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
    const namedIn = async (cached: CachedTransaction, service: string) =>
      (await cached.list('service', { where: equals(stringField('name'), service) })).length;
    const rename = (to: string) => app.request('PATCH', `/services/${id}`, { body: { name: to } });
    const read = <T>(work: (cached: CachedTransaction) => Promise<T>): Promise<T> =>
      store.transaction('read', (tx) => work(cache.reading(tx)));
    return { ...ground, id, nameIn, namedIn, rename, read };
  };

  test(`a transaction that sees an earlier state reads neither what was remembered since nor leaves its own (${name})`, async () => {
    await using ground = await beside();
    const { nameIn, namedIn, rename, read } = ground;
    await read(async (earlier) => {
      await earlier.get('service', 'none');
      await rename('after');
      assert.deepEqual(await read(async (later) => [await nameIn(later), await namedIn(later, 'after')]), ['after', 1]);
      assert.deepEqual([await nameIn(earlier), await namedIn(earlier, 'after'), await namedIn(earlier, 'before')], ['before', 0, 1]);
    });
    await read(async (earlier) => {
      await earlier.get('service', 'none');
      await rename('last');
      await read((later) => later.get('service', 'none'));
      assert.deepEqual([await nameIn(earlier), await namedIn(earlier, 'last'), await namedIn(earlier, 'after')], ['after', 0, 1]);
    });
    assert.deepEqual(await read(async (later) => [await nameIn(later), await namedIn(later, 'last'), await namedIn(later, 'after')]), [
      'last',
      1,
      0,
    ]);
  });

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
