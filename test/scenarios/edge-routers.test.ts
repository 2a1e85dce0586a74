import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { onEveryStore } from '../support/app.ts';
import { list, namesIn } from '../support/lists.ts';
import { network } from '../support/network.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';
import { patchEdgeRouter, readRouter } from '../support/routers.ts';

/** By the clock of tests. */
const IN_THREE_HOURS = '2026-11-21T13:00:00.000Z';

onEveryStore('edge routers', (open) => {
  test('a new edge router has all its defaults', proves(170, 172, 173, 174, 175, 326), async () => {
    await using app = await open();
    const id = await app.create('/edge-routers', { name: 'r', cost: null, noTraversal: null, roleAttributes: null, tags: null });
    const { createdAt, updatedAt, enrollmentJwt, enrollmentToken, ...rest } = await readRouter(app, id);
    assert.deepEqual(rest, {
      _links: {
        self: { href: `./edge-routers/${id}` },
        'edge-router-policies': { href: `./edge-routers/${id}/edge-router-policies` },
      },
      id,
      name: 'r',
      cost: 0,
      noTraversal: false,
      disabled: false,
      isTunnelerEnabled: false,
      isVerified: false,
      isOnline: false,
      roleAttributes: null,
      appData: {},
      tags: {},
      hostname: '',
      supportedProtocols: {},
      syncStatus: 'SYNC_UNKNOWN',
      certPem: null,
      configs: [],
      unverifiedCertPem: null,
      unverifiedFingerprint: null,
      interfaces: null,
      versionInfo: { arch: '', buildDate: '', os: '', revision: '', version: '' },
      enrollmentCreatedAt: createdAt,
      enrollmentExpiresAt: IN_THREE_HOURS,
    });
  });

  test('all routers share one name space', proves(168, 178, 326), async () => {
    await using app = await open();
    const edge = await app.create('/edge-routers', { name: 'edge' });
    const plain = await app.create('/routers', { name: 'plain' });
    for (const path of ['/edge-routers', '/routers', '/transit-routers'])
      for (const name of ['edge', 'plain', '', undefined]) assertInvalid(await app.request('POST', path, { body: { name } }), 'name');
    assertInvalid(await patchEdgeRouter(app, edge, { name: 'plain' }), 'name');
    assertInvalid(await app.request('PUT', `/routers/${plain}`, { body: { name: 'edge' } }), 'name');
    await app.create('/identities', { name: 'edge', type: 'Device', isAdmin: false });
  });

  test('edge routers are found by their filter fields and by role', proves(315, 389), async () => {
    await using app = await open();
    const net = network(app);
    const a = await app.create('/edge-routers', { name: 'a', cost: 5, roleAttributes: ['x', 'y'] });
    await net.router('b', 'x');
    await app.create('/routers', { name: 'plain' });
    const found = async (query: Parameters<typeof list>[2]) => namesIn(await list(app, '/edge-routers', { sort: 'name', ...query }));
    assert.deepEqual(await found({}), ['a', 'b']);
    assert.deepEqual(await found({ filter: 'cost > 1 and not isVerified' }), ['a']);
    assert.deepEqual(await found({ filter: 'fingerprint = null and online = false and connected = false' }), ['a', 'b']);
    assert.deepEqual(await found({ filter: 'isTunnelerEnabled or noTraversal' }), []);
    assert.deepEqual(await found({ roleFilter: ['#x', '#y'] }), ['a']);
    assert.deepEqual(await found({ roleFilter: ['#x'], filter: `id = "${a}"` }), ['a']);
    assert.deepEqual(await found({ roleFilter: ['#x', '#y'], roleSemantic: 'AnyOf' }), ['a', 'b']);
    assert.deepEqual(await found({ roleFilter: [`@${a}`] }), ['a']);
    for (const filter of ['hostname = ""', 'isOnline', 'isEdgeRouter'])
      assertRefused(await list(app, '/edge-routers', { filter }), 400, 'INVALID_FILTER');
    const { data, meta } = (await app.request('GET', '/edge-router-role-attributes')).body;
    assert.deepEqual([data, meta.pagination.totalCount], [['x', 'y'], 2]);
  });
});
