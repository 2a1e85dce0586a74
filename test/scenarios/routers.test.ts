import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { onEveryStore } from '../support/app.ts';
import { list, namesIn } from '../support/lists.ts';
import { network } from '../support/network.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';
import { readRouter } from '../support/routers.ts';

/** By the clock of tests. */
const IN_THREE_HOURS = '2026-11-21T13:00:00.000Z';

onEveryStore('routers', (open) => {
  test('a router is the same under both paths, and none of the edge routers', proves(6, 178, 179, 180, 329), async () => {
    await using app = await open();
    const id = await app.create('/transit-routers', { name: 'r', cost: 5, noTraversal: true, disabled: true, tags: { a: 'b' } });
    const { createdAt, updatedAt, enrollmentJwt, enrollmentToken, ...rest } = await readRouter(app, id, '/routers');
    assert.deepEqual(rest, {
      _links: { self: { href: `./transit-routers/${id}` } },
      id,
      name: 'r',
      cost: 5,
      noTraversal: true,
      disabled: true,
      tags: { a: 'b' },
      isOnline: false,
      isVerified: false,
      fingerprint: null,
      configs: [],
      unverifiedCertPem: null,
      unverifiedFingerprint: null,
      interfaces: null,
      enrollmentCreatedAt: createdAt,
      enrollmentExpiresAt: IN_THREE_HOURS,
    });
    assert.deepEqual(await readRouter(app, id, '/transit-routers'), await readRouter(app, id, '/routers'));
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE'])
      assertRefused(await app.request(method, `/edge-routers/${id}`, { body: { name: 'x' } }), 404, 'NOT_FOUND');
    await app.request('PUT', `/routers/${id}`, { body: { name: 's' } });
    assert.partialDeepStrictEqual(await readRouter(app, id, '/routers'), {
      name: 's',
      cost: 0,
      noTraversal: false,
      disabled: false,
      tags: {},
    });
    await app.request('PATCH', `/routers/${id}`, { body: { cost: 9 } });
    assert.equal((await readRouter(app, id, '/transit-routers')).cost, 9);
    await app.request('DELETE', `/transit-routers/${id}`);
    assertRefused(await app.request('GET', `/routers/${id}`), 404, 'NOT_FOUND');
  });

  test('every router keeps addresses for control channels; a patch replaces them all, and an empty map removes them', async () => {
    await using app = await open();
    for (const path of ['/edge-routers', '/routers', '/transit-routers'] as const) {
      const listeners = { 'tls:r.example:6262': ['default', 'eu'], 'tls:s.example:6262': [] };
      const id = await app.create(path, { name: `at ${path}`, ctrlChanListeners: listeners });
      const shown = async () => (await readRouter(app, id, path)).ctrlChanListeners;
      const write = async (method: string, body: object) =>
        assert.equal((await app.request(method, `${path}/${id}`, { body })).status, 200, `${method} ${JSON.stringify(body)}`);
      assert.deepEqual(await shown(), listeners);
      assert.deepEqual((await list(app, path, { filter: `id = "${id}"` })).body.data[0].ctrlChanListeners, listeners);
      await write('PATCH', { cost: 5, ctrlChanListeners: null });
      assert.deepEqual(await shown(), listeners, 'null changes nothing');
      await write('PATCH', { ctrlChanListeners: { 'tls:t.example:6262': ['us'] } });
      assert.deepEqual(await shown(), { 'tls:t.example:6262': ['us'] });
      await write('PATCH', { ctrlChanListeners: { 'tls:u.example:6262': null } });
      assert.deepEqual(await shown(), { 'tls:u.example:6262': [] }, 'null stands for no groups');
      await write('PATCH', { ctrlChanListeners: {} });
      assert.ok(!('ctrlChanListeners' in (await readRouter(app, id, path))));
      await write('PUT', { name: `at ${path}`, ctrlChanListeners: listeners });
      assert.deepEqual(await shown(), listeners);
      await write('PUT', { name: `at ${path}` });
      assert.equal(await shown(), undefined, 'a replacement without any removes them');
    }
  });

  test('addresses for control channels and their groups are not empty, and at most 64', async () => {
    await using app = await open();
    const addresses = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`tls:r${i}.example:6262`, ['default']]));
    for (const path of ['/edge-routers', '/routers', '/transit-routers'] as const) {
      const id = await app.create(path, { name: `bounds of ${path}`, ctrlChanListeners: addresses(64) });
      for (const wrong of [{ '': ['default'] }, { 'tls:r.example:6262': [''] }, addresses(65)])
        for (const [method, at] of [
          ['POST', path],
          ['PUT', `${path}/${id}`],
          ['PATCH', `${path}/${id}`],
        ] as const)
          assertInvalid(await app.request(method, at, { body: { name: 'x', ctrlChanListeners: wrong } }), 'ctrlChanListeners');
      for (const wrong of [[], 'tls:r.example:6262', { 'tls:r.example:6262': 'default' }, { 'tls:r.example:6262': [5] }])
        assertRefused(await app.request('PATCH', `${path}/${id}`, { body: { ctrlChanListeners: wrong } }), 400, 'COULD_NOT_PARSE_BODY');
      assert.deepEqual((await readRouter(app, id, path)).ctrlChanListeners, addresses(64));
      assertRefused(await list(app, path, { filter: 'ctrlChanListeners != null' }), 400, 'INVALID_FILTER');
    }
  });

  test('edge routers are among the routers, where they can be deleted and not changed', proves(329), async () => {
    await using app = await open();
    const id = await app.create('/edge-routers', { name: 'r', isTunnelerEnabled: true, cost: 4 });
    const { isVerified, cost, _links } = await readRouter(app, id, '/routers');
    assert.deepEqual([isVerified, cost, _links.self.href], [true, 4, `./transit-routers/${id}`]);
    assert.deepEqual(namesIn(await list(app, '/routers', { filter: 'cost = 4' })), ['r']);
    for (const [method, path] of [
      ['PATCH', '/routers'],
      ['PUT', '/transit-routers'],
    ] as const)
      assertRefused(await app.request(method, `${path}/${id}`, { body: { name: 'x' } }), 409, 'CAN_NOT_UPDATE_ROUTER');
    await app.request('DELETE', `/routers/${id}`);
    for (const path of ['/edge-routers', '/identities', '/edge-router-policies'])
      assertRefused(await app.request('GET', `${path}/${id}`), 404, 'NOT_FOUND');
  });

  test('plain routers are never meant by policies', async () => {
    await using app = await open();
    const net = network(app);
    const id = await app.create('/routers', { name: 'plain' });
    await net.router('edge');
    const policy = await net.routersOfIdentities({ identities: ['#all'], routers: ['#all'] });
    assert.deepEqual(await net.names(`/edge-router-policies/${policy}/edge-routers`), ['edge']);
    const body = { name: 'p', semantic: 'AnyOf', edgeRouterRoles: [`@${id}`] };
    assertInvalid(await app.request('POST', '/edge-router-policies', { body }), 'edgeRouterRoles');
  });
});
