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

  test('the filter fields of routers are fewer than those of edge routers', async () => {
    await using app = await open();
    const { filterableFields } = (await app.request('GET', '/transit-routers')).body.meta;
    const base = ['createdAt', 'id', 'isSystem', 'tags', 'updatedAt'];
    assert.deepEqual(filterableFields.toSorted(), [...base, 'cost', 'disabled', 'fingerprint', 'name', 'noTraversal'].toSorted());
    for (const filter of ['isVerified', 'isEmpty(roleAttributes)', 'online'])
      assertRefused(await list(app, '/routers', { filter }), 400, 'INVALID_FILTER');
  });
});
