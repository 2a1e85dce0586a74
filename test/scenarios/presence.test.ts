import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ApiError, type Presence, type RouterConnection, type RouterInterfaceReport } from '../../src/index.ts';
import { proves } from '../specification.ts';
import { type App, onEveryStore, openApp } from '../support/app.ts';
import { aCertificate } from '../support/certificates.ts';
import { post } from '../support/enrolling.ts';
import { list, namesIn } from '../support/lists.ts';
import { network } from '../support/network.ts';
import { assertRefused } from '../support/refusals.ts';
import { aRouterCertificate, presented, type RouterPath, requestsOf } from '../support/routers.ts';
import { newSharedStorage } from '../support/stores.ts';

const VERSION = { arch: 'amd64', buildDate: '2026-11-20', os: 'linux', revision: 'abc', version: 'v1.7.2' };
const LISTENERS = [{ protocol: 'tls', hostname: 'r.example', port: 3022 }];
const ETH0: RouterInterfaceReport = {
  name: 'eth0',
  hardwareAddress: '00:00:5e:00:53:01',
  mtu: 1500,
  index: 2,
  isUp: true,
  isRunning: true,
  isLoopback: false,
  isBroadcast: true,
  isMulticast: true,
  addresses: ['192.0.2.1/24'],
};

/** What a router might send: nothing like a report, or nearly one. */
const anything = fc.jsonValue({ maxDepth: 2 });
const nearly = (sample: Readonly<Record<string, unknown>>) =>
  fc.record(
    Object.fromEntries(
      Object.entries(sample).map(([name, value]) => [name, fc.oneof(fc.constant(value), anything, fc.string({ unit: 'binary' }))]),
    ),
  );
const told = fc.oneof(
  anything,
  fc.string({ unit: 'binary' }),
  fc.record({ listeners: fc.array(nearly({ protocol: 'tls', hostname: 'r.example', port: 3022 })) }),
  nearly({ hostname: 'r.example', protocols: ['tls'], protocolPorts: ['3022'] }),
  fc.array(nearly({ ...ETH0 })),
);

const read = async (app: App, id: string, path: RouterPath | '/identities' = '/edge-routers') =>
  (await app.request('GET', `${path}/${id}`)).body.data;
const statusOf = async (app: App, id: string) => {
  const { hasEdgeRouterConnection, edgeRouterConnectionStatus } = await read(app, id, '/identities');
  return [hasEdgeRouterConnection, edgeRouterConnectionStatus];
};
const shownOf = async (app: App, id: string) => {
  const { isOnline, hostname, supportedProtocols, syncStatus, versionInfo } = await read(app, id);
  return { isOnline, hostname, supportedProtocols, syncStatus, versionInfo };
};
const OFFLINE = {
  isOnline: false,
  hostname: '',
  supportedProtocols: {},
  syncStatus: 'SYNC_UNKNOWN',
  versionInfo: { arch: '', buildDate: '', os: '', revision: '', version: '' },
};

/** A router that has enrolled and is connected. */
const connected = async (app: App, fields: Readonly<Record<string, unknown>> = {}, path: RouterPath = '/edge-routers') => {
  const { id, certificates } = await aRouterCertificate(app, path, fields);
  return { id, certificates, connection: await app.controller.presence.connect({ certificates, versionInfo: VERSION }) };
};

const reasonOf = ({ signal }: RouterConnection) => (signal.aborted ? signal.reason.message : undefined);
const refusal = (code: string, about?: string) => (error: { code?: string; cause?: { field?: string; message?: string } }) => {
  assert.equal(error.code, code);
  if (about !== undefined) assert.equal(error.cause?.field ?? error.cause?.message, about);
  return true;
};

onEveryStore('presence of routers', (open, store) => {
  test('an edge router that connects and says how it is reached is online until its connection ends', proves(174, 175, 176), async () => {
    await using app = await open();
    const { id, connection } = await connected(app);
    assert.deepEqual([connection.routerId, connection.isEdgeRouter], [id, true]);
    assert.deepEqual(await shownOf(app, id), { ...OFFLINE, syncStatus: 'SYNC_HELLO', versionInfo: VERSION });
    assert.equal((await read(app, id, '/routers')).isOnline, true);

    await connection.hello({ listeners: LISTENERS });
    const supportedProtocols = { tls: 'tls://r.example:3022' };
    const there = { isOnline: true, hostname: 'r.example', supportedProtocols, syncStatus: 'SYNC_DONE', versionInfo: VERSION };
    assert.deepEqual(await shownOf(app, id), there);
    await connection.sync('SYNC_RESYNC_WAIT');
    assert.equal((await shownOf(app, id)).syncStatus, 'SYNC_RESYNC_WAIT');

    connection.close();
    assert.deepEqual(await shownOf(app, id), OFFLINE);
    assert.equal((await read(app, id, '/routers')).isOnline, false);
    await assert.rejects(connection.hello({ listeners: LISTENERS }), refusal('UNAUTHORIZED', 'the connection was closed'));
  });

  test('a plain router is online as soon as it is connected', proves(180), async () => {
    await using app = await open();
    const { id, connection } = await connected(app, {}, '/routers');
    assert.equal(connection.isEdgeRouter, false);
    assert.equal((await read(app, id, '/transit-routers')).isOnline, true);
    await connection.interfaces([ETH0]);
    connection.close();
    const { isOnline, interfaces } = await read(app, id, '/routers');
    assert.deepEqual([isOnline, interfaces], [false, [ETH0]]);
  });

  test('a router says how it is reached in either form, and the first of several listeners of a protocol counts', proves(176), async () => {
    await using app = await open();
    const { id, connection } = await connected(app);
    const told = async (hello: Parameters<RouterConnection['hello']>[0]) => {
      await connection.hello(hello);
      const { hostname, supportedProtocols } = await shownOf(app, id);
      return [hostname, supportedProtocols];
    };
    assert.deepEqual(await told({ hostname: 'old.example', protocols: ['tls', 'ws', 'wss'], protocolPorts: [1, '2', 'wss:3'] }), [
      'old.example',
      { tls: 'tls://old.example:1', ws: 'ws://old.example:2', wss: 'wss://old.example:3' },
    ]);
    const two = [{ protocol: 'tls', hostname: '2001:db8::1', port: 1 }, ...LISTENERS, { protocol: 'ws', hostname: '[::1]', port: 2 }];
    assert.deepEqual(await told({ listeners: two }), ['2001:db8::1', { tls: 'tls://[2001:db8::1]:1', ws: 'ws://[::1]:2' }]);
    assert.deepEqual(await told({ listeners: [] }), ['', {}]);
  });

  test('presence is no change: only the interfaces are stored, and only when they are others', async () => {
    await using app = await open();
    const { id, certificates } = await aRouterCertificate(app);
    const user = await app.user();
    const before = await read(app, id);
    const left = await app.trail(async () => {
      const connection = await app.controller.presence.connect({ certificates });
      await connection.hello({ listeners: LISTENERS });
      await connection.identityConnected(user.id);
      connection.close();
    });
    assert.deepEqual(left, []);
    assert.deepEqual(await read(app, id), before);
    app.clock.advance('1s');
    const { addresses: _, ...bare } = ETH0;
    const connection = await app.controller.presence.connect({ certificates });
    const reports = [[ETH0], [ETH0], [{ ...ETH0, extra: 'x' }], [bare], [bare], []];
    assert.deepEqual(
      await app.trail(async () => {
        for (const report of reports) await connection.interfaces(report);
      }),
      ['update edgeRouter', 'update edgeRouter', 'update edgeRouter'],
    );
    await connection.interfaces([bare]);
    const after = await read(app, id);
    assert.deepEqual(after.interfaces, [{ ...bare, addresses: [] }]);
    assert.ok(after.updatedAt > before.updatedAt);
  });

  test('interfaces survive a restart, and presence does not', async () => {
    await using shared = newSharedStorage(store);
    const first = await openApp(store, { storage: shared.adapter() });
    const { id, connection } = await connected(first);
    await connection.hello({ listeners: LISTENERS });
    await connection.interfaces([ETH0]);
    await first.close();
    assert.equal(reasonOf(connection), 'the controller was closed');
    await using second = await openApp(store, { storage: shared.adapter() });
    assert.deepEqual([(await read(second, id)).interfaces, await shownOf(second, id)], [[ETH0], OFFLINE]);
  });

  test('filters find routers that are connected and that are online, among others and in pages', async () => {
    await using app = await open();
    const online = await connected(app, { name: 'online', cost: 1 });
    await online.connection.hello({ listeners: LISTENERS });
    await connected(app, { name: 'connected', cost: 2 });
    await app.create('/edge-routers', { name: 'new', cost: 3 });
    await connected(app, { name: 'plain' }, '/routers');
    const found = async (filter: string, more: Readonly<Record<string, number>> = {}) => {
      const answer = await list(app, '/edge-routers', { filter: `${filter} sort by name`, ...more });
      assert.equal(answer.status, 200, answer.text);
      return [...namesIn(answer), answer.body.meta.pagination.totalCount];
    };
    assert.deepEqual(await found('online = true'), ['online', 1]);
    assert.deepEqual(await found('connected = true'), ['connected', 'online', 2]);
    assert.deepEqual(await found('connected = false'), ['new', 1]);
    assert.deepEqual(await found('connected and not online'), ['connected', 1]);
    assert.deepEqual(await found('not (connected = true)'), ['new', 1]);
    assert.deepEqual(await found('online != true or cost = 1'), ['connected', 'new', 'online', 3]);
    assert.deepEqual(await found('online = true and cost > 1'), [0]);
    assert.deepEqual(await found('connected = null'), [0]);
    assert.deepEqual(await found('connected != null', { limit: 1, offset: 1 }), ['new', 3]);
    assert.deepEqual(await found('connected = true', { limit: 1 }), ['connected', 2]);
    assertRefused(await list(app, '/edge-routers', { sort: 'online' }), 400, 'INVALID_SORT_IDENTIFIER');
    assertRefused(await list(app, '/routers', { filter: 'online = true' }), 400, 'INVALID_FILTER');
    online.connection.close();
    assert.deepEqual(await found('online = true'), [0]);
  });

  test('a router connects by its current certificate, unless it is disabled', async () => {
    await using app = await open();
    const { presence } = app.controller;
    const { id, certificates } = await aRouterCertificate(app);
    const device = await aCertificate(app);
    const unknown = refusal('UNAUTHORIZED', 'the certificate is not the current one of a router');
    for (const others of [[], [new Uint8Array([1, 2])], device.certificates])
      await assert.rejects(presence.connect({ certificates: others }), unknown);
    await app.request('PATCH', `/edge-routers/${id}`, { body: { disabled: true } });
    await assert.rejects(presence.connect({ certificates }), refusal('UNAUTHORIZED', 'the router is disabled'));
    await app.request('PATCH', `/edge-routers/${id}`, { body: { disabled: false } });
    await presence.connect({ certificates });

    const { body } = await post(app, '/enroll/extend/router', { body: await requestsOf(id), certificates });
    await assert.rejects(presence.connect({ certificates }), unknown);
    const renewed = presented(body.data.cert);
    await presence.connect({ certificates: renewed });
    app.clock.advance('366d');
    await assert.rejects(presence.connect({ certificates: renewed }), unknown);
  });

  test('a connection survives the extension of its certificate', async () => {
    await using app = await open();
    const { id, certificates, connection } = await connected(app);
    await post(app, '/enroll/extend/router', { body: await requestsOf(id), certificates });
    await connection.hello({ listeners: LISTENERS });
    assert.equal((await read(app, id)).isOnline, true);
    assert.deepEqual(namesIn(await list(app, '/edge-routers', { filter: 'online = true' })).length, 1);
  });

  test('a router that is disabled, deleted or must enroll anew is disconnected, and told why', proves(284), async () => {
    await using app = await open();
    const ended = async (change: (id: string) => Promise<unknown>, path: RouterPath = '/edge-routers') => {
      const { id, connection } = await connected(app, {}, path);
      await connection.hello({ listeners: LISTENERS });
      await app.request('PATCH', `${path}/${id}`, { body: { cost: 7 } });
      assert.equal(reasonOf(connection), undefined);
      await change(id);
      await assert.rejects(connection.hello({ listeners: LISTENERS }), refusal('UNAUTHORIZED', reasonOf(connection)));
      return [reasonOf(connection), namesIn(await list(app, '/edge-routers', { filter: 'connected = true' })).length];
    };
    assert.deepEqual(await ended((id) => app.request('PATCH', `/edge-routers/${id}`, { body: { disabled: true } })), [
      'the router is disabled',
      0,
    ]);
    assert.deepEqual(await ended((id) => app.request('POST', `/edge-routers/${id}/re-enroll`)), ['the router must enroll anew', 0]);
    assert.deepEqual(await ended((id) => app.request('DELETE', `/edge-routers/${id}`)), ['the router was deleted', 0]);
    assert.deepEqual(await ended((id) => app.request('DELETE', `/routers/${id}`), '/routers'), ['the router was deleted', 0]);
  });

  test('a router that must enroll anew cannot connect again before it has', proves(284), async () => {
    await using app = await open();
    const { id, certificates, connection } = await connected(app);
    await app.request('POST', `/edge-routers/${id}/re-enroll`);
    assert.equal(reasonOf(connection), 'the router must enroll anew');
    await assert.rejects(app.controller.presence.connect({ certificates }), refusal('UNAUTHORIZED'));
    const { enrollmentToken } = await read(app, id);
    const { body } = await post(app, `/enroll?token=${enrollmentToken}`, { body: await requestsOf(id) });
    await assert.rejects(app.controller.presence.connect({ certificates }), refusal('UNAUTHORIZED'));
    await app.controller.presence.connect({ certificates: presented(body.data.cert) });
  });

  test('what another controller changed ends a connection as soon as anybody looks', async () => {
    await using shared = newSharedStorage(store);
    await using here = await openApp(store, { storage: shared.adapter() });
    await using there = await openApp(store, { storage: shared.adapter() });
    const { id, connection } = await connected(here);
    await connection.hello({ listeners: LISTENERS });
    assert.deepEqual(await shownOf(there, id), OFFLINE, 'presence is of the controller that the router is connected to');
    await there.request('POST', `/edge-routers/${id}/re-enroll`);
    assert.deepEqual(namesIn(await list(here, '/edge-routers', { filter: 'online = true' })), []);
    assert.deepEqual(await shownOf(here, id), OFFLINE);
    assert.equal(reasonOf(connection), 'the router must enroll anew');

    const other = await connected(here);
    await there.request('PATCH', `/edge-routers/${other.id}`, { body: { disabled: true } });
    await assert.rejects(other.connection.hello({ listeners: LISTENERS }), refusal('UNAUTHORIZED', 'the router is disabled'));
    assert.equal(other.connection.signal.aborted, true);
  });

  test('a router that connects again loses its older connection', async () => {
    await using app = await open();
    const { id, certificates, connection } = await connected(app);
    await connection.hello({ listeners: LISTENERS });
    const again = await app.controller.presence.connect({ certificates });
    assert.equal(reasonOf(connection), 'the router has connected again');
    connection.close();
    assert.equal(reasonOf(again), undefined);
    assert.deepEqual(await shownOf(app, id), { ...OFFLINE, syncStatus: 'SYNC_HELLO' });
  });

  test(
    'an identity is online while a router carries it, then unknown for five minutes when the router is lost',
    proves(112, 113, 123),
    async () => {
      await using app = await open();
      const { connection } = await connected(app);
      const second = await connected(app);
      const user = await app.user();
      assert.deepEqual(await statusOf(app, user.id), [false, 'offline']);
      await connection.identityConnected(user.id);
      await second.connection.identityConnected(user.id);
      assert.deepEqual(await statusOf(app, user.id), [true, 'online']);
      connection.close();
      assert.deepEqual(await statusOf(app, user.id), [true, 'online']);
      second.connection.close();
      assert.deepEqual(await statusOf(app, user.id), [false, 'unknown']);
      app.clock.advance('5m');
      assert.deepEqual(await statusOf(app, user.id), [false, 'offline']);

      const third = await connected(app, { isTunnelerEnabled: true });
      await Promise.all([third.connection.identityConnected(user.id), third.connection.identityDisconnected(user.id)]);
      assert.deepEqual(await statusOf(app, user.id), [false, 'offline']);
      await third.connection.identityConnected(third.id);
      assert.deepEqual(await statusOf(app, third.id), [true, 'online']);
      await assert.rejects(third.connection.identityConnected('nobody'), refusal('NOT_FOUND'));
      const shown = (await app.request('GET', '/edge/client/v1/current-identity', { as: await user.login() })).body.data;
      assert.deepEqual([shown.hasEdgeRouterConnection, shown.edgeRouterConnectionStatus], [false, 'offline']);
    },
  );

  test('how long an identity is unknown can be set', proves(113), async () => {
    await using app = await open({ settings: { unknownConnectionMinutes: 1 } });
    const { connection } = await connected(app);
    const user = await app.user();
    await connection.identityConnected(user.id);
    connection.close();
    app.clock.advance('59s');
    assert.deepEqual(await statusOf(app, user.id), [false, 'unknown']);
    app.clock.advance('1s');
    assert.deepEqual(await statusOf(app, user.id), [false, 'offline']);
  });

  test('clients are told of routers that are online first, and how these are reached', async () => {
    await using app = await open();
    const net = network(app);
    const user = await app.user({ roleAttributes: ['a'] });
    const as = await user.login();
    const service = await net.service('s');
    await net.dial({ identities: ['#a'], services: ['#all'] });
    await net.routersOfIdentities({ identities: ['#a'], routers: ['#all'] });
    await net.routersOfServices({ services: ['#all'], routers: ['#all'] });
    for (let i = 0; i < 30; i++) await net.router(`offline ${i}`);
    const { id, connection } = await connected(app, { name: 'here' });
    await connection.hello({ listeners: LISTENERS });
    const supportedProtocols = { tls: 'tls://r.example:3022' };
    const reached = { name: 'here', hostname: 'r.example', isOnline: true, supportedProtocols, syncStatus: 'SYNC_DONE' };

    const client = (method: string, path: string, body?: unknown) =>
      app.request(method, `/edge/client/v1${path}`, { as, ...(body === undefined ? {} : { body }) });
    const { edgeRouters } = (await client('GET', `/services/${service}/edge-routers`)).body.data;
    assert.equal(edgeRouters.length, 25);
    assert.deepEqual(edgeRouters[0], { ...reached, cost: 0, noTraversal: false, disabled: false });
    assert.equal(new Set(edgeRouters.map(({ name }: { name: string }) => name)).size, 25);
    const session = (await client('POST', '/sessions', { serviceId: service, type: 'Dial' })).body.data;
    assert.partialDeepStrictEqual(session.edgeRouters[0], { ...reached, urls: supportedProtocols });
    const listed = (await client('GET', '/sessions')).body.data[0];
    assert.partialDeepStrictEqual(listed.edgeRouters[0], reached);
    const [own] = (await client('GET', '/current-identity/edge-routers?filter=online')).body.data;
    assert.partialDeepStrictEqual(own, reached);
    const advice = (await app.request('GET', `/identities/${user.id}/policy-advice/${service}`)).body.data;
    assert.deepEqual(
      advice.commonRouters.filter(({ isOnline }: { isOnline: boolean }) => isOnline).map((one: { id: string }) => one.id),
      [id],
    );
  });

  test('what routers tell is checked like any request, and what is refused changes nothing', async () => {
    await using app = await open();
    const { id, certificates, connection } = await connected(app);
    await connection.hello({ listeners: LISTENERS });
    const before = await read(app, id);
    const listening = (fields: object) => ({ listeners: [{ ...LISTENERS[0], ...fields }] });
    const bad: readonly (readonly [report: keyof RouterConnection, told: unknown, field: string])[] = [
      ['hello', {}, 'hello.hostname'],
      ['hello', { listeners: 'x' }, 'hello.listeners'],
      ['hello', { listeners: Array(33).fill(LISTENERS[0]) }, 'hello.listeners'],
      ['hello', listening({ port: 0 }), 'hello.listeners.0.port'],
      ['hello', listening({ port: 65536 }), 'hello.listeners.0.port'],
      ['hello', listening({ port: '1' }), 'hello.listeners.0.port'],
      ['hello', listening({ protocol: '__proto__' }), 'hello.listeners.0.protocol'],
      ...['', 'a b', 'a/b', 'user@host', 'a:1', 'x'.repeat(254), 'a\n'].map(
        (hostname) => ['hello', listening({ hostname }), 'hello.listeners.0.hostname'] as const,
      ),
      ['hello', { hostname: 'h', protocols: ['tls'], protocolPorts: [] }, 'hello.protocolPorts'],
      ['hello', { hostname: 'h', protocols: ['tls'], protocolPorts: ['70000'] }, 'hello.0.port'],
      ['sync', 'SYNC_FINE', 'syncStatus'],
      ['interfaces', 'x', 'interfaces'],
      ['interfaces', Array(257).fill(ETH0), 'interfaces'],
      ['interfaces', [{ ...ETH0, name: 'a\u0000b' }], 'interfaces.0.name'],
      ['interfaces', [{ ...ETH0, name: '' }], 'interfaces.0.name'],
      ['interfaces', [{ ...ETH0, hardwareAddress: '\ud800' }], 'interfaces.0.hardwareAddress'],
      ['interfaces', [{ ...ETH0, mtu: 1.5 }], 'interfaces.0.mtu'],
      ['interfaces', [{ ...ETH0, addresses: Array(65).fill('a') }], 'interfaces.0.addresses'],
      ['interfaces', [{ ...ETH0, isUp: undefined }], 'interfaces.0.isUp'],
      ['identityConnected', 'a\u0000', 'identityId'],
      ['identityDisconnected', 7, 'identityId'],
    ];
    const left = await app.trail(async () => {
      for (const [report, told, field] of bad)
        await assert.rejects((connection[report] as (told: unknown) => Promise<void>)(told), refusal('COULD_NOT_VALIDATE', field));
      const odd = { certificates, versionInfo: { version: 'x'.repeat(256) } };
      await assert.rejects((app.controller.presence as Presence).connect(odd), refusal('COULD_NOT_VALIDATE', 'versionInfo.version'));
    });
    assert.deepEqual([left, await read(app, id), reasonOf(connection)], [[], before, undefined]);
  });

  test('whatever comes from a router is taken or refused, and never a fault of ours', async () => {
    await using app = await open();
    const { id, connection } = await connected(app);
    const reports = ['hello', 'sync', 'interfaces', 'identityConnected', 'identityDisconnected'] as const;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...reports), told, async (report, value) => {
        const outcome = await (connection[report] as (told: unknown) => Promise<void>)(value).then(
          () => undefined,
          (error) => error,
        );
        assert.ok(outcome === undefined || (outcome instanceof ApiError && outcome.status < 500), String(outcome));
        assert.equal((await app.request('GET', `/edge-routers/${id}`)).status, 200);
      }),
      { numRuns: 150 },
    );
  });
});
