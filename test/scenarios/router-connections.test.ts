import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { onEveryStore, openApp } from '../support/app.ts';
import { aCertificate } from '../support/certificates.ts';
import { post } from '../support/enrolling.ts';
import { interleaved } from '../support/interleaving.ts';
import { list, namesIn } from '../support/lists.ts';
import { connected, LISTENERS, OFFLINE, read, reasonOf, refusal, shownOf } from '../support/presence.ts';
import { aRouterCertificate, presented, type RouterPath, requestsOf } from '../support/routers.ts';
import { newSharedStorage, newStorage } from '../support/stores.ts';

onEveryStore('connections of routers', (open, store) => {
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
    app.clock.suspend('366d');
    await assert.rejects(presence.connect({ certificates: renewed }), unknown);
  });

  test('a router that is disabled while it connects is not connected', async () => {
    const between = interleaved(newStorage(store));
    await using app = await open({ storage: between.storage });
    const { id, certificates } = await aRouterCertificate(app);
    const path = `/edge-routers/${id}`;
    between.afterReads(async () => app.request('PATCH', path, { body: { disabled: true } }));
    await assert.rejects(app.controller.presence.connect({ certificates }), refusal('UNAUTHORIZED', 'the router is disabled'));
    assert.ok(between.isOver);
    assert.equal((await read(app, id)).isOnline, false);
  });

  test('a connection survives the extension of its certificate', async () => {
    await using app = await open();
    const { id, certificates, connection } = await connected(app);
    await post(app, '/enroll/extend/router', { body: await requestsOf(id), certificates });
    await connection.hello({ listeners: LISTENERS });
    assert.equal((await read(app, id)).isOnline, true);
    assert.deepEqual(namesIn(await list(app, '/edge-routers', { filter: 'online = true' })).length, 1);
  });

  test('a router that is disabled, deleted or must enroll again is disconnected, and gets the reason', proves(284), async () => {
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
    assert.deepEqual(await ended((id) => app.request('POST', `/edge-routers/${id}/re-enroll`)), ['the router must enroll again', 0]);
    assert.deepEqual(await ended((id) => app.request('DELETE', `/edge-routers/${id}`)), ['the router was deleted', 0]);
    assert.deepEqual(await ended((id) => app.request('DELETE', `/routers/${id}`), '/routers'), ['the router was deleted', 0]);
  });

  test('a router that must enroll again cannot connect again before it has', proves(284), async () => {
    await using app = await open();
    const { id, certificates, connection } = await connected(app);
    await app.request('POST', `/edge-routers/${id}/re-enroll`);
    assert.equal(reasonOf(connection), 'the router must enroll again');
    await assert.rejects(app.controller.presence.connect({ certificates }), refusal('UNAUTHORIZED'));
    const { enrollmentToken } = await read(app, id);
    const { body } = await post(app, `/enroll?token=${enrollmentToken}`, { body: await requestsOf(id) });
    await assert.rejects(app.controller.presence.connect({ certificates }), refusal('UNAUTHORIZED'));
    await app.controller.presence.connect({ certificates: presented(body.data.cert) });
  });

  test('what another controller changed ends a connection as soon as anybody looks', proves(284), async () => {
    await using shared = newSharedStorage(store);
    await using here = await openApp(store, { storage: shared.adapter() });
    await using there = await openApp(store, { storage: shared.adapter() });
    const { id, connection } = await connected(here);
    await connection.hello({ listeners: LISTENERS });
    assert.deepEqual(await shownOf(there, id), OFFLINE, 'presence is of the controller that the router is connected to');
    await there.request('POST', `/edge-routers/${id}/re-enroll`);
    assert.deepEqual(namesIn(await list(here, '/edge-routers', { filter: 'online = true' })), []);
    assert.deepEqual(await shownOf(here, id), OFFLINE);
    assert.equal(reasonOf(connection), 'the router must enroll again');

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
});
