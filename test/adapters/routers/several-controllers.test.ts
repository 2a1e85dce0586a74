/** Several controllers on one store: a router is connected to one of them, and its clients log in to another. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { header } from '../../../src/fabric/control-channel/header-fields.ts';
import { messages } from '../../../src/fabric/control-channel/messages/index.ts';
import { newSecretKey } from '../../../src/index.ts';
import type { Row, StorageAdapter } from '../../../src/store/storage/port.ts';
import { storageSchema } from '../../../src/store/storage/schema.ts';
import { type ScriptedRouter, type TestNetworkOptions, type TestSession, testNetwork } from '../../../testing/index.ts';
import { connectScripted } from '../../../testing/scripted-router.ts';
import { SECRET_KEY } from '../../support/app.ts';
import { frozenClock } from '../../support/clock.ts';
import { interleaved } from '../../support/interleaving.ts';
import { newSharedStorage, stores } from '../../support/stores.ts';
import { until } from '../../support/until.ts';
import { isOnline, type RouterNetwork, routerNetwork } from './support.ts';
import { bindBy, dialBy, routed, type Traffic, tokenFor } from './traffic.ts';

const { apiSessionAdded, apiSessionRemoved, requestResync } = messages.sessions;
const { updateCtrlAddresses, requestClusterMembers } = messages.routers;
const { ping } = messages.channel;

const on = (storage: StorageAdapter, secretKey: TestNetworkOptions['secretKey'] = SECRET_KEY): TestNetworkOptions => ({
  storage,
  secretKey,
});

/** A controller to which clients log in, and one to which their router is connected. */
const twoControllers = async (open: () => StorageAdapter) => {
  const first = await testNetwork(on(open()));
  const { id: fra1Id } = await first.edgeRouter('fra1');
  const fra1 = await first.enrollRouter((await first.controller.api.edgeRouters.get({ id: fra1Id })).enrollmentJwt ?? '');
  const [host, client] = [await first.device('host', 'hosts'), await first.device('client', 'clients')];
  const web = await first.service('web');
  await first.bind(['#hosts'], [web]);
  await first.dial(['#clients'], [web]);
  await first.route();
  const { certificate } = fra1;
  assert.ok(certificate);
  const connect = async (to: RouterNetwork): Promise<ScriptedRouter> => {
    const router = await connectScripted({ id: fra1.id, certificate, clock: to.network.clock }, { port: to.port, script: routed });
    await until(() => isOnline(to.network, fra1.id));
    return router;
  };
  const second = await routerNetwork(on(open()));
  return {
    first,
    second,
    fra1,
    host,
    client,
    serviceId: web.id,
    connect,
    /** Opens both anew, under another key or the same. */
    reopened: (secretKey: string) => routerNetwork(on(open(), secretKey)),
    [Symbol.asyncDispose]: async () => {
      await second[Symbol.asyncDispose]();
      await first.close();
    },
  };
};

/** What a router is told next of API sessions. */
const told = async (router: ScriptedRouter) => {
  const { isFullState, apiSessions } = apiSessionAdded.decode((await router.next(apiSessionAdded)).body);
  assert.equal(isFullState, false);
  return apiSessions.map(({ id, token }) => ({ id, token }));
};
const as = ({ id, token }: Pick<TestSession, 'id' | 'token'>) => ({ id, token });

/** The rows of sessions as a store holds them. */
const sessionRows = async (storage: StorageAdapter, change?: (seal: string) => string | null) => {
  const store = await storage.open(storageSchema);
  const rows = await store.transaction('write', async (tx) => {
    const all = await tx.list('session', { where: { op: 'all' } });
    for (const row of all)
      if (change) await tx.update('session', { ...row, sealedApiSessionToken: change(String(row.sealedApiSessionToken)) }, row.version);
    return all;
  });
  await store.close();
  return rows;
};

for (const store of stores)
  describe(`clients and routers of different controllers, on ${store}`, () => {
    test('a client that logged in to one hosts and dials by a router of the other', async () => {
      await using storage = newSharedStorage(store);
      await using at = await twoControllers(storage.adapter);
      const { first, second, host, client, serviceId, fra1 } = at;
      const router = await at.connect(second);
      assert.deepEqual(await told(router), []);
      const [hosting, dialing] = [await host.login(), await client.login()];
      const binding = await tokenFor(hosting, serviceId, 'Bind');
      await second.network.advance('1s');
      assert.deepEqual(await told(router), [as(hosting)]);
      await first.advance('1s');
      const { token, edgeRouters } = await dialing.sessions.create({ body: { serviceId, type: 'Dial' } });
      assert.deepEqual(
        edgeRouters?.map(({ isOnline, supportedProtocols }) => [isOnline, supportedProtocols]),
        [[true, { tls: `tls://${fra1.id.toLowerCase()}.routers.test:3022` }]],
      );
      await second.network.advance('1s');
      assert.deepEqual(await told(router), [as(dialing)]);
      const there = { ...second, router, hosting, dialing, host, client, serviceId, fra1 } as unknown as Traffic; // without the policies, which are not asked for
      assert.equal((await bindBy(there, 'terminator', binding)).result, 'success');
      assert.equal((await dialBy(there, { token })).isMade, true);
      assert.equal((await second.network.controller.api.circuits.list()).data.length, 1);
      assert.equal((await first.controller.api.terminators.list()).data.length, 1);

      await dialing.currentApiSession.delete({});
      await second.network.advance('1s');
      assert.deepEqual(apiSessionRemoved.decode((await router.next(apiSessionRemoved)).body), {
        tokens: [dialing.token],
        ids: [dialing.id],
      });
      await until(async () => (await second.network.controller.api.circuits.list()).data.length === 0);
    });

    test('when the controller of a router is lost, the router connects to another, and the client keeps working', async () => {
      await using storage = newSharedStorage(store);
      await using at = await twoControllers(storage.adapter);
      const { first, second, host, client, serviceId, fra1 } = at;
      await using third = await at.reopened(SECRET_KEY);
      const before = await at.connect(second);
      assert.deepEqual(await told(before), []);
      const [hosting, dialing] = [await host.login(), await client.login()];
      const [binding, token] = [await tokenFor(hosting, serviceId, 'Bind'), await tokenFor(dialing, serviceId, 'Dial')];
      for (const network of [second.network, first]) await network.advance('1s');
      assert.equal(await isOnline(first, fra1.id), true);
      // From here on the second does nothing any more: its clock stands still.
      before.close();
      const router = await at.connect(third);
      for (const network of [third.network, first]) await network.advance('40s');
      assert.equal(await isOnline(first, fra1.id), true);
      assert.deepEqual(new Set((await told(router)).map(({ token }) => token)), new Set([hosting.token, dialing.token]));
      const there = { ...third, router, hosting, dialing, host, client, serviceId, fra1 } as unknown as Traffic; // without the policies, which are not asked for
      assert.equal((await bindBy(there, 'terminator', binding)).result, 'success');
      assert.equal((await dialBy(there, { token })).isMade, true);
      router.close();
      await until(async () => !(await isOnline(third.network, fra1.id)));
      for (const network of [third.network, first]) await network.advance('1s');
      assert.equal(await isOnline(first, fra1.id), false);
    });

    test('what a router has told one controller that it hosts is dialed through each that it is connected to', async () => {
      await using storage = newSharedStorage(store);
      await using at = await twoControllers(storage.adapter);
      const { first, second, host, client, serviceId, fra1 } = at;
      await using third = await at.reopened(SECRET_KEY);
      const [hosting, dialing] = [await host.login(), await client.login()];
      const [binding, token] = [await tokenFor(hosting, serviceId, 'Bind'), await tokenFor(dialing, serviceId, 'Dial')];
      const through = (network: RouterNetwork, router: ScriptedRouter) =>
        ({ ...network, router, hosting, dialing, host, client, serviceId, fra1 }) as unknown as Traffic; // without the policies, which are not asked for
      const told = through(second, await at.connect(second));
      assert.equal((await bindBy(told, 'before', binding)).result, 'success');
      // It knows that the router goes on, although its hello does not say so.
      await second.network.advance('1s');
      const other = through(third, await at.connect(third));
      await until(async () => (await dialBy(other, { token })).isMade);

      const { controller } = first;
      await controller.api.terminators.delete({ id: 'before' });
      await third.network.advance('1s');
      assert.equal((await dialBy(other, { token })).isMade, false);
      assert.equal((await bindBy(told, 'after', binding)).result, 'success');
      await third.network.advance('2s');
      await until(async () => (await dialBy(other, { token })).isMade);
      assert.equal((await dialBy(told, { token })).isMade, true);

      // A right that is lost ends it everywhere.
      const [policy] = (await controller.api.servicePolicies.list({ filter: 'type = 2' })).data;
      await controller.api.servicePolicies.delete({ id: policy?.id ?? '' });
      for (const network of [second.network, third.network]) await network.advance('1s');
      await until(async () => (await controller.api.terminators.list()).data.length === 0);
      assert.equal((await dialBy(other, { token })).isMade, false);
    });

    test('a controller that was started anew knows the clients before they ask again; under a key that took the place of another, too', async () => {
      await using storage = newSharedStorage(store);
      await using at = await twoControllers(storage.adapter);
      const sessions = [await at.host.login(), await at.client.login()];
      await tokenFor(sessions[0] as TestSession, at.serviceId, 'Bind');
      await tokenFor(sessions[1] as TestSession, at.serviceId, 'Dial');
      const expected = new Set(sessions.map(({ token }) => token));
      const next = newSecretKey();
      for (const key of [SECRET_KEY, next]) {
        if (key === next) await at.first.controller.reseal({ secretKey: next });
        await using again = await at.reopened(key);
        const router = await at.connect(again);
        assert.deepEqual(new Set((await told(router)).map(({ token }) => token)), expected);
        router.send(requestResync, {});
        assert.equal((await told(router)).length, 2);
      }
    });
  });

/** Two controllers on one store, each at an address of its own, and a router that knows the first. */
const atAddresses = async () => {
  const storage = newSharedStorage('memory');
  const clock = frozenClock();
  const open = (address: string, member?: TestNetworkOptions['member']) =>
    routerNetwork({ ...on(storage.adapter()), clock, settings: { address: `https://${address}` }, ...(member && { member }) });
  const one = await open('one.test:1280');
  const fra1 = await one.network.edgeRouter('fra1');
  await until(async () => (await storedLeases(storage.adapter())).length === 1);
  return { storage, clock, open, one, fra1, router: await fra1.dial({ port: one.port }) };
};
const storedLeases = async (storage: StorageAdapter, change?: (row: Row) => Row) => {
  const store = await storage.open(storageSchema);
  const rows = await store.transaction('write', async (tx) => {
    const all = (await tx.list('lease', { where: { op: 'all' } })).filter(({ id }) => id.startsWith('controller/'));
    for (const row of all) if (change) await tx.insert('lease', change(row));
    return all;
  });
  await store.close();
  return rows;
};
const idIn = ({ welcome }: ScriptedRouter) => header.id.in(welcome);
const addresses = async (router: ScriptedRouter) => updateCtrlAddresses.decode((await router.next(updateCtrlAddresses)).body);

test('routers get the addresses of all controllers as soon as there are several, and of each once', async () => {
  await using at = { ...(await atAddresses()), [Symbol.asyncDispose]: async () => at.one[Symbol.asyncDispose]() };
  const { one, fra1, router, storage } = at;
  await one.network.advance('1m');
  await using two = await at.open('two.test:1280', { name: 'two', ctrlAddress: 'tls:two-for-routers.test:6262' });
  await until(async () => (await storedLeases(storage.adapter())).length === 2);
  await one.network.advance('10s');
  const first = await addresses(router);
  assert.deepEqual(
    { addresses: first.addresses, isLeader: first.isLeader },
    { addresses: ['tls:one.test:1280', 'tls:two-for-routers.test:6262'], isLeader: false },
  );
  // Routers of the line 2.x go by these: each with the id that it says in its answer to a hello, which a router is told before it connects
  // there.
  assert.deepEqual(first.controllers, [
    { id: idIn(router), endpoints: [{ address: 'tls:one.test:1280', groups: [] }] },
    { id: 'two', endpoints: [{ address: 'tls:two-for-routers.test:6262', groups: [] }] },
  ]);
  const second = await fra1.dial({ port: two.port });
  assert.equal(idIn(second), 'two');
  const told = await addresses(second);
  assert.deepEqual(told.addresses.toSorted(), first.addresses.toSorted());
  assert.ok(told.index >= first.index);

  // What no controller has written is passed over.
  const strange = ['http://evil.test:1', 'tls:no-port', `tls:${'x'.repeat(300)}:1`, ''];
  for (const holder of strange)
    await storedLeases(storage.adapter(), (row) => ({ ...row, id: `controller/strange ${holder} ${row.id}`, holder }));
  await one.network.advance('10s');
  // A controller of which nothing is heard for an hour is forgotten.
  await two[Symbol.asyncDispose]();
  await one.network.advance('75m');
  const last = await addresses(router);
  assert.deepEqual(last.addresses, ['tls:one.test:1280']);
  assert.ok(last.index > first.index);
  assert.equal((await storedLeases(storage.adapter())).length, 1);
});

test('a router that asks for the controllers gets all of them, the latest included; a single controller names itself', async () => {
  await using at = { ...(await atAddresses()), [Symbol.asyncDispose]: async () => at.one[Symbol.asyncDispose]() };
  const ask = async () => {
    at.router.send(requestClusterMembers, undefined);
    return addresses(at.router);
  };
  const alone = await ask();
  assert.deepEqual(alone.addresses, ['tls:one.test:1280']);
  await using two = await at.open('two.test:1280', { name: 'two' });
  await until(async () => (await storedLeases(at.storage.adapter())).length === 2);
  const both = await ask();
  assert.ok(both.index > alone.index);
  assert.deepEqual(
    both.controllers.map(({ id, endpoints }) => [id, endpoints.map(({ address }) => address)]),
    [
      [idIn(at.router), ['tls:one.test:1280']],
      [idIn(await at.fra1.dial({ port: two.port })), ['tls:two.test:1280']],
    ],
  );
});

test('controllers that differ in nothing but their address have names of their own for routers', async () => {
  await using at = { ...(await atAddresses()), [Symbol.asyncDispose]: async () => at.one[Symbol.asyncDispose]() };
  await using two = await at.open('two.test:1280');
  await using named = await at.open('three.test:1280', { name: 'three' });
  const ids = [idIn(at.router)];
  for (const { port } of [two, named]) ids.push(idIn(await at.fra1.dial({ port })));
  assert.deepEqual(ids, ['tls:one.test:1280', 'tls:two.test:1280', 'three']);
});

/** The same, on a store of which the rows can be looked at. */
const inMemory = async () => {
  const storage = newSharedStorage('memory');
  const at = await twoControllers(storage.adapter);
  const dialing = await at.client.login();
  return { ...at, storage, dialing, ask: () => tokenFor(dialing, at.serviceId, 'Dial') };
};

test('a token is kept sealed, with sessions that reach a service, and as long as these', async () => {
  await using at = await inMemory();
  const { storage, dialing } = at;
  assert.deepEqual(await sessionRows(storage.adapter()), []);
  await at.ask();
  const rows = await sessionRows(storage.adapter());
  assert.match(String(rows[0]?.sealedApiSessionToken), /^v1\./);
  const store = await storage.adapter().open(storageSchema);
  const all = await store.transaction('read', async (tx) => {
    const kinds = ['session', 'apiSession', 'change', 'keptSecret'];
    return JSON.stringify(await Promise.all(kinds.map((kind) => tx.list(kind, { where: { op: 'all' } }))));
  });
  assert.ok(!all.includes(dialing.token));
  await dialing.currentApiSession.delete({});
  assert.deepEqual(await sessionRows(storage.adapter()), []);
});

test('no filter and no order can ask for it, and no event and no answer has it', async () => {
  await using at = await inMemory();
  const { controller, recorded } = at.first;
  await at.ask();
  for (const filter of ['sealedApiSessionToken != null', 'sealedApiSessionToken contains "v1"', 'true sort by sealedApiSessionToken'])
    await assert.rejects(controller.api.sessions.list({ filter }), { status: 400 });
  const { data } = await controller.api.sessions.list();
  assert.equal(data.length, 1);
  const { data: changes } = await controller.api.changes.list({ kinds: ['session'] });
  assert.equal(changes.length, 1);
  for (const shown of [data, changes, recorded]) {
    const text = JSON.stringify(shown, (_, value) => (typeof value === 'bigint' ? String(value) : value));
    assert.ok(!/sealedApiSessionToken|v1\.[0-9a-f]{8}\./.test(text), text);
  }
});

test('a session of an earlier release has no token: it gets it when its client asks again, once', async () => {
  await using at = await inMemory();
  const { storage, dialing, second } = at;
  await at.ask();
  const [before] = await sessionRows(storage.adapter(), () => null);
  const router = await at.connect(second);
  assert.deepEqual(await told(router), []);
  const { id } = await dialing.sessions.create({ body: { serviceId: at.serviceId, type: 'Dial' } });
  assert.equal(id, before?.id);
  await second.network.advance('1s');
  assert.deepEqual(await told(router), [as(dialing)]);
  const [first] = await sessionRows(storage.adapter());
  await at.ask();
  assert.deepEqual((await sessionRows(storage.adapter()))[0], first);
});

test('a token that is sealed for another API session, or changed, is not told, and others are', async () => {
  await using at = await inMemory();
  const { storage, second } = at;
  await at.ask();
  const [victim] = await sessionRows(storage.adapter());
  const other = await at.client.login();
  await tokenFor(other, at.serviceId, 'Dial');
  await sessionRows(storage.adapter(), () => String(victim?.sealedApiSessionToken));
  const router = await at.connect(second);
  assert.deepEqual(await told(router), [as(at.dialing)]);
  assert.equal(second.log().filter((line) => line.includes('cannot be unsealed')).length, 1);
});

test('one that has ended by idling is not told', async () => {
  await using at = await inMemory();
  await at.ask();
  at.second.network.clock.advance('31m');
  assert.deepEqual(await told(await at.connect(at.second)), []);
});

test('what came while no router was connected is sent to the next', async () => {
  await using at = await inMemory();
  const { second } = at;
  const router = await at.connect(second);
  assert.deepEqual(await told(router), []);
  router.close();
  await until(async () => !(await isOnline(second.network, at.fra1.id)));
  await at.ask();
  const next = await at.connect(second);
  assert.deepEqual(await told(next), [as(at.dialing)]);
});

test('many are sent in parts, which together have each API session once, however many services it reaches', async () => {
  await using at = await inMemory();
  const { first, second, client } = at;
  const wiki = await first.service('wiki');
  await first.dial(['#clients'], [wiki]);
  const expected = new Set<string>();
  for (let i = 0; i < 501; i++) {
    const session = await client.login();
    for (const serviceId of i === 0 ? [at.serviceId, wiki.id] : [wiki.id]) await tokenFor(session, serviceId, 'Dial');
    expected.add(session.token);
  }
  const router = await at.connect(second);
  const parts = [await told(router), await told(router)];
  assert.deepEqual(
    parts.map(({ length }) => length),
    [500, 1],
  );
  assert.deepEqual(new Set(parts.flat().map(({ token }) => token)), expected);

  // One that asks while it is told the last part is told of the first once more.
  const store = interleaved(at.storage.adapter());
  await using third = await routerNetwork(on(store.storage));
  const connected = Promise.withResolvers<ScriptedRouter>();
  const readCertificates = (meanwhile: () => Promise<unknown>) => store.duringRead('apiSessionCertificate', meanwhile);
  readCertificates(async () =>
    readCertificates(async () => {
      const router = await connected.promise;
      router.send(requestResync, {});
      await router.request(ping, undefined);
    }),
  );
  const asking = await at.connect(third);
  connected.resolve(asking);
  assert.equal((await told(asking)).length, 500);
  const afterAsking = [await told(asking), await told(asking)];
  assert.equal(store.isOver, true);
  assert.deepEqual(new Set(afterAsking.flat().map(({ token }) => token)), expected);
});
