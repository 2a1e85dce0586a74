/** Several controllers on one store: routers are connected to one of them, and all of them know. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { lease } from '../../src/contract/api/leases.ts';
import type { RouterConnection } from '../../src/index.ts';
import type { Row, StorageAdapter } from '../../src/store/storage/port.ts';
import { storageSchema } from '../../src/store/storage/schema.ts';
import { type TestNetwork, testNetwork } from '../../testing/index.ts';
import { awayWhile } from '../support/altered-storage.ts';
import { SECRET_KEY } from '../support/app.ts';
import { counted } from '../support/counted.ts';
import { ETH0, OFFLINE, VERSION } from '../support/presence.ts';
import { newHostedStorage, newSharedStorage, stores } from '../support/stores.ts';

const SILENT = { error: () => undefined, warn: () => undefined, info: () => undefined };
const open = (storage: StorageAdapter) => testNetwork({ storage, secretKey: SECRET_KEY, platform: { logger: SILENT } });

const at = (hostname: string) => ({ listeners: [{ protocol: 'tls', hostname, port: 3022 }] });

/** Two controllers, each with a clock of its own, and a router that is connected to neither. */
const twoOn = async (adapter: () => StorageAdapter) => {
  const [a, b] = [await open(adapter()), await open(adapter())];
  const router = await newRouter(a, 'fra1');
  /** Time in which controllers live; the clock of one that is dead does not matter to others. */
  const pass = async (by: string, ...living: readonly TestNetwork[]) => {
    for (const network of living.length > 0 ? living : [b, a]) await network.advance(by);
  };
  return {
    a,
    b,
    router,
    pass,
    rows: () => leases(adapter()),
    [Symbol.asyncDispose]: async () => {
      await b.close();
      await a.close();
    },
  };
};

const newRouter = async (network: TestNetwork, name: string) => {
  const { id } = await network.edgeRouter(name);
  const { enrollmentJwt } = await network.controller.api.edgeRouters.get({ id });
  const { certificate } = await network.enrollRouter(enrollmentJwt ?? '');
  const certificates = certificate?.certificates ?? [];
  const connect = ({ controller }: TestNetwork): Promise<RouterConnection> =>
    controller.presence.connect({ certificates, versionInfo: VERSION });
  const comes = async (to: TestNetwork, hostname = 'fra1.example') => {
    const connection = await connect(to);
    await connection.hello(at(hostname));
    return connection;
  };
  return { id, connect, comes };
};

/** The rows by which controllers tell each other of routers; what a test makes of each takes its place. */
const leases = async (storage: StorageAdapter, change?: (row: Row) => Row): Promise<readonly Row[]> => {
  const store = await storage.open(storageSchema);
  const rows = await store.transaction('write', async (tx) => {
    const all = (await tx.list(lease.kind, { where: { op: 'all' } })).filter(({ id }) => id.startsWith('presence'));
    for (const row of all) if (change) await tx.update(lease.kind, change(row), row.version);
    return all;
  });
  await store.close();
  return rows;
};

/** A router in such a row. */
interface Told {
  readonly key: { readonly id: string };
  readonly state: object;
}

const shownOn = async ({ controller }: TestNetwork, id: string) => {
  const { isOnline, hostname, supportedProtocols, syncStatus, versionInfo } = await controller.api.edgeRouters.get({ id });
  return { isOnline, hostname, supportedProtocols, syncStatus, versionInfo };
};
const isOnline = async (network: TestNetwork, id: string): Promise<boolean> => (await shownOn(network, id)).isOnline;
const found = async ({ controller }: TestNetwork, filter: string) =>
  (await controller.api.edgeRouters.list({ filter: `${filter} sort by name` })).data.map(({ name }) => name);

for (const store of stores)
  describe(`presence on several controllers, on ${store}`, () => {
    test('a router that is connected to one is connected and online on all, as it is there', async () => {
      await using storage = newSharedStorage(store);
      await using two = await twoOn(storage.adapter);
      const { a, b, router, pass } = two;
      const connection = await router.connect(b);
      await pass('1s');
      assert.deepEqual(await shownOn(a, router.id), { ...OFFLINE, syncStatus: 'SYNC_HELLO', versionInfo: VERSION });
      assert.deepEqual([await found(a, 'connected = true'), await found(a, 'online = true')], [['fra1'], []]);
      await connection.hello(at('fra1.example'));
      await connection.sync('SYNC_RESYNC_WAIT');
      await connection.interfaces([ETH0]);
      await pass('1s');
      assert.deepEqual(await shownOn(a, router.id), {
        isOnline: true,
        hostname: 'fra1.example',
        supportedProtocols: { tls: 'tls://fra1.example:3022' },
        syncStatus: 'SYNC_RESYNC_WAIT',
        versionInfo: VERSION,
      });
      assert.deepEqual(await shownOn(b, router.id), await shownOn(a, router.id));
      await newRouter(a, 'ams1');
      for (const network of [a, b]) {
        assert.deepEqual(await found(network, 'connected = true'), ['fra1']);
        assert.deepEqual(await found(network, 'online = false'), ['ams1']);
        const [plain] = (await network.controller.api.routers.list({ filter: 'name = "fra1"' })).data;
        assert.equal(plain?.isOnline, true);
        const { connected, versionInfo } = await network.controller.api.fabricRouters.get({ id: router.id });
        assert.deepEqual([connected, versionInfo?.version], [true, VERSION.version]);
      }
      assert.equal((await a.controller.statistics()).connectedRouters, 0);
      assert.equal((await b.controller.statistics()).connectedRouters, 1);
    });

    test('a client of another controller gets the address of its router', async () => {
      await using storage = newSharedStorage(store);
      await using two = await twoOn(storage.adapter);
      const { a, b, router, pass } = two;
      await newRouter(a, 'ams1');
      const [client, web] = [await a.device('client'), await a.service('web')];
      await a.dial(['#all'], [web]);
      await a.route();
      await router.comes(b);
      await pass('1s');
      const session = await client.login();
      const { edgeRouters } = await session.sessions.create({ body: { serviceId: web.id, type: 'Dial' } });
      assert.deepEqual(
        edgeRouters?.map(({ name, isOnline, supportedProtocols }) => [name, isOnline, supportedProtocols.tls]),
        [
          ['fra1', true, 'tls://fra1.example:3022'],
          ['ams1', false, undefined],
        ],
      );
      const mine = await session.currentIdentity.listEdgeRouters({});
      assert.deepEqual(
        mine.data.filter((one) => one.isOnline).map(({ name, hostname }) => [name, hostname]),
        [['fra1', 'fra1.example']],
      );
      const advice = await a.controller.api.identities.getPolicyAdvice({ id: client.id, serviceId: web.id });
      assert.deepEqual(
        advice.commonRouters?.filter((one) => one.isOnline).map(({ name }) => name),
        ['fra1'],
      );
    });

    test('when a controller closes, or its router goes, the others know with their next look; when it dies, after thirty seconds', async () => {
      await using storage = newSharedStorage(store);
      const a = await open(storage.adapter());
      const [closing, dying] = [await open(storage.adapter()), await open(storage.adapter())];
      const [fra1, ams1, lon1] = [await newRouter(a, 'fra1'), await newRouter(a, 'ams1'), await newRouter(a, 'lon1')];
      await fra1.comes(closing);
      await ams1.comes(dying);
      const going = await lon1.comes(dying);
      for (const network of [closing, dying, a]) await network.advance('1s');
      assert.deepEqual(await found(a, 'online = true'), ['ams1', 'fra1', 'lon1']);
      await closing.close();
      going.close();
      for (const network of [dying, a]) await network.advance('1s');
      assert.deepEqual(await found(a, 'online = true'), ['ams1']);
      // It says again and again that it is there.
      for (let minutes = 0; minutes < 3; minutes++) for (const network of [dying, a]) await network.advance('1m');
      assert.deepEqual(await found(a, 'online = true'), ['ams1']);
      await a.advance('20s');
      assert.deepEqual(await found(a, 'online = true'), ['ams1']);
      await a.advance('10s');
      assert.deepEqual(await found(a, 'online = true'), []);
      assert.deepEqual(await shownOn(a, ams1.id), OFFLINE);
      await dying.close();
      await a.close();
    });

    test('a router that moves is online throughout: its newer connection counts, and the end of the older changes nothing', async () => {
      await using storage = newSharedStorage(store);
      await using two = await twoOn(storage.adapter);
      const { a, b, router, pass } = two;
      const older = await router.comes(a, 'before.example');
      await pass('1s');
      const newer = await router.connect(b);
      await pass('1s');
      // Until it has said how it is reached there, it is reached as before.
      for (const network of [a, b]) assert.equal((await shownOn(network, router.id)).hostname, 'before.example');
      await newer.hello(at('after.example'));
      await pass('1s');
      for (const network of [a, b]) assert.equal((await shownOn(network, router.id)).hostname, 'after.example');
      assert.equal(older.signal.aborted, false);
      older.close();
      for (const network of [a, b]) assert.equal((await shownOn(network, router.id)).hostname, 'after.example');
      await pass('1s');
      for (const network of [a, b]) {
        assert.equal((await shownOn(network, router.id)).hostname, 'after.example');
        assert.deepEqual(await found(network, 'online = true'), ['fra1']);
      }
      newer.close();
      await pass('1s');
      for (const network of [a, b]) assert.deepEqual(await shownOn(network, router.id), OFFLINE);
    });

    test('a router that is disabled, told to enroll anew or deleted on one controller is offline on all at once', async () => {
      await using storage = newSharedStorage(store);
      await using two = await twoOn(storage.adapter);
      const { a, b, router, pass } = two;
      const [ams1, lon1] = [await newRouter(a, 'ams1'), await newRouter(a, 'lon1')];
      for (const one of [router, ams1, lon1]) await one.comes(b);
      await pass('1s');
      assert.deepEqual(await found(a, 'online = true'), ['ams1', 'fra1', 'lon1']);
      await a.controller.api.edgeRouters.patch({ id: router.id, body: { disabled: true } });
      await a.controller.api.edgeRouters.reEnroll({ id: ams1.id });
      await a.controller.api.edgeRouters.delete({ id: lon1.id });
      for (const network of [a, b]) {
        for (const { id } of [router, ams1]) assert.equal(await isOnline(network, id), false);
        assert.deepEqual(await found(network, 'connected = true'), []);
      }
    });

    test('what a controller hears late of a router, from before it connected, does not end its connection', async () => {
      await using storage = newSharedStorage(store);
      await using two = await twoOn(storage.adapter);
      const { a, b, router } = two;
      await a.controller.api.edgeRouters.patch({ id: router.id, body: { disabled: true } });
      await a.controller.api.edgeRouters.patch({ id: router.id, body: { disabled: false } });
      const connection = await router.comes(b);
      await b.controller.publish();
      assert.equal(connection.signal.aborted, false);
      await a.controller.api.edgeRouters.patch({ id: router.id, body: { disabled: true } });
      await b.controller.publish();
      assert.equal(connection.signal.reason.message, 'the router is disabled');
    });

    test('nothing is written where no router connects, and no change record where one does', async () => {
      await using storage = newSharedStorage(store);
      await using two = await twoOn(storage.adapter);
      const { a, b, router, pass } = two;
      await pass('1m');
      assert.deepEqual(await two.rows(), []);
      const before = (await a.controller.api.changes.list()).data.length;
      const connection = await router.comes(b);
      await pass('1m');
      assert.equal((await two.rows()).length, 2);
      connection.close();
      await pass('2s');
      assert.deepEqual(await two.rows(), []);
      assert.equal((await a.controller.api.changes.list()).data.length, before);
    });

    test('what a dead controller has left is removed, and one that was only suspended tells all of it again', async () => {
      await using storage = newSharedStorage(store);
      await using two = await twoOn(storage.adapter);
      const { a, b, router, pass } = two;
      await router.comes(b);
      await pass('1s');
      const own = await newRouter(a, 'ams1');
      await own.comes(a);
      const written = (await two.rows()).length;
      await pass('6m', a);
      assert.equal((await two.rows()).length, written);
      assert.deepEqual(await found(a, 'online = true'), ['ams1']);
      await pass('6m', b);
      await pass('1s', a);
      assert.deepEqual(await found(a, 'online = true'), ['ams1', 'fra1']);
    });

    test('what does not fit in the rows of others is dropped, and the rest counts', async () => {
      await using storage = newSharedStorage(store);
      await using two = await twoOn(storage.adapter);
      const { a, b, router, pass } = two;
      const ams1 = await newRouter(a, 'ams1');
      await router.comes(b);
      await ams1.comes(b, 'ams1.example');
      await pass('1s');
      const rows = await two.rows();
      const { told } = rows.find(({ id }) => id.startsWith('presence-part/')) as unknown as { told: readonly Told[] };
      const [good, bad] = [router, ams1].map(({ id }) => told.find(({ key }) => key.id === id));
      assert.ok(bad);
      const { key, state } = bad;
      let revision = 1000;
      const say = async (routers: unknown) => {
        revision++;
        await leases(storage.adapter(), (row) => ({
          ...row,
          told: row.id.startsWith('presence-part/') ? routers : [revision],
        }));
        await a.advance('1s');
        return found(a, 'connected = true');
      };
      assert.deepEqual(await say([good, bad]), ['ams1', 'fra1']);
      const many = Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`t${i}`, 'tls://a:1']));
      const strange = [
        null,
        'fra1',
        {},
        { ...bad, key: { ...key, enrolledBy: null } },
        { ...bad, key: undefined },
        { ...bad, since: 'yesterday' },
        { ...bad, state: { ...state, syncStatus: 'FINE' } },
        { ...bad, state: { ...state, versionInfo: { ...VERSION, os: 'x'.repeat(256) } } },
        { ...bad, state: { ...state, reached: { hostname: 'a b', supportedProtocols: {} } } },
        { ...bad, state: { ...state, reached: { hostname: '', supportedProtocols: { tls: 'javascript:alert(1)' } } } },
        { ...bad, state: { ...state, reached: { hostname: '', supportedProtocols: many } } },
      ];
      for (const one of strange) assert.deepEqual(await say([one, good]), ['fra1'], JSON.stringify(one));
      for (const routers of [null, 'x', Array.from({ length: 65 }, () => good)]) assert.deepEqual(await say(routers), []);
      for (const told of [null, 7, ['all'], Array.from({ length: 257 }, () => revision)]) {
        await leases(storage.adapter(), (row) => (row.id.startsWith('presence-part/') ? row : { ...row, told }));
        await a.advance('1s');
        assert.deepEqual(await found(a, 'connected = true'), []);
      }
      for (const until of [null, 'soon', '2020-01-01T00:00:00.000Z']) {
        assert.deepEqual(await say([good]), ['fra1']);
        await leases(storage.adapter(), (row) => (row.id.startsWith('presence-part/') ? row : { ...row, until }));
        await a.advance('1s');
        assert.deepEqual(await found(a, 'connected = true'), []);
        await leases(storage.adapter(), (row) => ({ ...row, until: '2100-01-01T00:00:00.000Z' }));
      }
    });

    test('calls do not ask the store more often than about once a second, and a controller at rest never', async () => {
      await using storage = newSharedStorage(store);
      const { storage: watched, askedByAll } = counted(storage.adapter());
      await using a = await open(watched);
      await using b = await open(storage.adapter());
      const router = await newRouter(a, 'fra1');
      await router.comes(b);
      await b.advance('1s');
      const get = () => a.controller.api.edgeRouters.get({ id: router.id });
      const reads = async (work: () => Promise<unknown>) => (await askedByAll(work)).filter((call) => call === 'read').length;
      await a.advance('1s');
      await get();
      const withoutNews = await reads(get);
      assert.equal(await reads(() => a.clock.advanceInSteps('1h', a.settled)), 0);
      // The routers of others, and the authority, which was read more than five minutes ago.
      assert.equal(await reads(get), withoutNews + 2);
      assert.equal(await reads(get), withoutNews);
    });
  });

test('while the store is away nothing is forgotten: unsent reports are sent later, and those received count until they expire', async () => {
  await using storage = newSharedStorage('memory');
  let isAway = false;
  const faulty = awayWhile(storage.adapter(), () => isAway);
  await using a = await open(faulty);
  await using b = await open(faulty);
  const [fra1, ams1] = [await newRouter(a, 'fra1'), await newRouter(a, 'ams1')];
  await fra1.comes(b);
  const moving = await ams1.connect(b);
  for (const network of [b, a]) await network.advance('1s');
  assert.deepEqual(await found(a, 'connected = true'), ['ams1', 'fra1']);
  isAway = true;
  moving.close();
  for (const network of [b, a]) await network.advance('5s');
  await assert.rejects(found(a, 'connected = true'), { code: 'SERVER_UNAVAILABLE' });
  isAway = false;
  assert.deepEqual(await found(a, 'connected = true'), ['ams1', 'fra1']);
  for (const network of [b, a]) await network.advance('1s');
  assert.deepEqual(await found(a, 'connected = true'), ['fra1']);
});

for (const store of stores)
  test(`a call in a transaction of the host does not wait for another transaction, on ${store}`, async () => {
    const { storage, transaction } = newHostedStorage(store);
    await using network = await open(storage);
    const { id } = await network.edgeRouter('fra1');
    await network.advance('1m');
    await transaction(async (host) => {
      assert.equal((await network.controller.api.edgeRouters.get({ id }, { transaction: host })).isOnline, false);
    });
  });
