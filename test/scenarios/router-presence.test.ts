import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { onEveryStore } from '../support/app.ts';
import { list, namesIn } from '../support/lists.ts';
import { connected, ETH0, LISTENERS, OFFLINE, read, refusal, shownOf, VERSION } from '../support/presence.ts';
import { assertRefused } from '../support/refusals.ts';
import { aRouterCertificate } from '../support/routers.ts';

onEveryStore('presence of routers', (open) => {
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

  test('version and capabilities of an edge router are shown while it is connected, those without a name are not', async () => {
    await using app = await open();
    const { id, certificates } = await aRouterCertificate(app);
    const reported = async () => {
      const { version, capabilities } = await read(app, id);
      return { version, capabilities };
    };
    assert.deepEqual(await reported(), { version: undefined, capabilities: undefined });
    const connection = await app.controller.presence.connect({ certificates, versionInfo: VERSION, capabilities: [1, 2, 4, 5, 6, 7, 62] });
    const capabilities = ['MULTI_CHANNEL', 'CONNECT_V2', 'SERVICE_SUBSCRIPTIONS', 'POSTURE_CHECKS', 'BIND_SUCCESS'];
    assert.deepEqual(await reported(), { version: 'v1.7.2', capabilities });
    const [own] = (await app.request('GET', '/edge/client/v1/current-identity/edge-routers')).body.data;
    assert.deepEqual([own.version, own.capabilities], ['v1.7.2', capabilities]);
    connection.close();
    assert.deepEqual(await reported(), { version: undefined, capabilities: undefined });
    for (const [bits, field] of [
      [[64], 'capabilities.0'],
      [[-1], 'capabilities.0'],
      [Array(65).fill(1), 'capabilities'],
    ] as const)
      await assert.rejects(app.controller.presence.connect({ certificates, capabilities: bits }), refusal('COULD_NOT_VALIDATE', field));
    await app.controller.presence.connect({ certificates, versionInfo: VERSION, capabilities: [] });
    assert.deepEqual(await reported(), { version: 'v1.7.2', capabilities: [] });
  });

  test('answers of release 1.7 do not show them', async () => {
    await using app = await open({ settings: { compat: '1.7' } });
    const { id, certificates } = await aRouterCertificate(app);
    await app.controller.presence.connect({ certificates, versionInfo: VERSION, capabilities: [1] });
    const shown = await read(app, id);
    assert.deepEqual([shown.versionInfo.version, 'version' in shown, 'capabilities' in shown], ['v1.7.2', false, false]);
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
    // In the list of all routers, a connected one is online, whether clients can reach it or not.
    const all = await list(app, '/routers', { filter: 'online = true sort by name' });
    assert.deepEqual(namesIn(all), ['connected', 'online', 'plain']);
    assertRefused(await list(app, '/routers', { filter: 'connected = true' }), 400, 'INVALID_FILTER');
    online.connection.close();
    assert.deepEqual(await found('online = true'), [0]);
  });
});
