import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { network } from '../support/network.ts';
import { connected, LISTENERS, read, refusal, VERSION } from '../support/presence.ts';

const statusOf = async (app: App, id: string) => {
  const { hasEdgeRouterConnection, edgeRouterConnectionStatus } = await read(app, id, '/identities');
  return [hasEdgeRouterConnection, edgeRouterConnectionStatus];
};

onEveryStore('presence of identities', (open) => {
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

  test('clients get routers that are online first, and how these are reached', async () => {
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
    const reached = {
      name: 'here',
      hostname: 'r.example',
      isOnline: true,
      supportedProtocols,
      syncStatus: 'SYNC_DONE',
      version: VERSION.version,
    };

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
});
