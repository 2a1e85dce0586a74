import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WriteConflict } from '../../src/store/storage/errors.ts';
import type { StorageAdapter, Store } from '../../src/store/storage/port.ts';
import { proves } from '../specification.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { assertRefused } from '../support/refusals.ts';
import { newStorage } from '../support/stores.ts';

/**
 * A store in which, from when it is told to, every write that deletes loses against that of somebody else just before it would be
 * committed.
 */
const contended = (adapter: StorageAdapter) => {
  let losing = 0;
  const open: StorageAdapter['open'] = async (schema) => {
    const store = await adapter.open(schema);
    const transaction: Store['transaction'] = (mode, work) =>
      store.transaction(mode, async (tx) => {
        let deletes = false; // background work writes at times of its own
        const watched = new Proxy(tx, {
          get: (target, name) => {
            deletes ||= name === 'delete';
            const method: unknown = Reflect.get(target, name);
            return typeof method === 'function' ? method.bind(target) : method;
          },
        });
        const result = await work(watched);
        if (deletes && losing-- > 0) throw new WriteConflict();
        return result;
      });
    return { transaction, join: (host) => store.join(host), close: () => store.close() };
  };
  return { storage: { ...adapter, open }, lose: (times: number) => void (losing = times) };
};

const bodies: Readonly<Record<string, (app: App) => Promise<object>>> = {
  '/config-types': async () => ({ name: 'a type', schema: { type: 'object' } }),
  '/configs': async (app) => ({
    name: 'a config',
    configTypeId: await app.create('/config-types', { name: 'its type', schema: { type: 'object' } }),
    data: { a: 1 },
  }),
  '/edge-router-policies': async () => ({ name: 'a policy', semantic: 'AnyOf', identityRoles: ['#all'], edgeRouterRoles: ['#all'] }),
  '/service-edge-router-policies': async () => ({ name: 'a policy', semantic: 'AnyOf', serviceRoles: ['#all'], edgeRouterRoles: ['#all'] }),
  '/edge-routers': async () => ({ name: 'an edge router', isTunnelerEnabled: true }),
  '/identities': async () => ({ name: 'ann', type: 'User', isAdmin: false }),
  '/routers': async () => ({ name: 'a router' }),
};

onEveryStore('writes that conflict', (open, store) => {
  test(
    'a delete that loses against another write is tried again once, and then is 409 and deletes nothing',
    proves(333, 334, 455),
    async (t) => {
      for (const [collection, bodyOf] of Object.entries(bodies)) {
        await t.test(collection, async () => {
          const { storage, lose } = contended(newStorage(store));
          await using app = await open({ storage });
          const at = `${collection}/${await app.create(collection, await bodyOf(app))}`;
          lose(2);
          const left = await app.trail(async () => assertRefused(await app.request('DELETE', at), 409, 'CONFLICT'));
          assert.deepEqual(left, []);
          assert.equal((await app.request('GET', at)).status, 200);
          lose(1);
          assert.equal((await app.request('DELETE', at)).status, 200);
          assertRefused(await app.request('GET', at), 404, 'NOT_FOUND');
        });
      }
    },
  );
});
