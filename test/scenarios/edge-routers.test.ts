import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { list, namesIn } from '../support/lists.ts';
import { network } from '../support/network.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';

/** By the clock of tests. */
const IN_THREE_HOURS = '2026-11-21T13:00:00.000Z';

const read = async (app: App, id: string, path = '/edge-routers') => (await app.request('GET', `${path}/${id}`)).body.data;
const patch = (app: App, id: string, body: object) => app.request('PATCH', `/edge-routers/${id}`, { body });

onEveryStore('edge routers', (open) => {
  test('a new edge router has all its defaults', proves(170, 172, 173, 174, 175, 326), async () => {
    await using app = await open();
    const id = await app.create('/edge-routers', { name: 'r', cost: null, noTraversal: null, roleAttributes: null, tags: null });
    const { createdAt, updatedAt, enrollmentJwt, enrollmentToken, ...rest } = await read(app, id);
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
      unverifiedCertPem: null,
      unverifiedFingerprint: null,
      interfaces: null,
      versionInfo: { arch: '', buildDate: '', os: '', revision: '', version: '' },
      enrollmentCreatedAt: createdAt,
      enrollmentExpiresAt: IN_THREE_HOURS,
    });
  });

  test(
    'an edge router keeps every writable field, and a replace resets what it leaves out',
    proves(6, 165, 166, 169, 170, 171, 172, 177, 326),
    async () => {
      await using app = await open();
      const fields = { cost: 7, noTraversal: true, disabled: true, appData: { k: [1] }, tags: { a: 'b' }, roleAttributes: ['a'] };
      const id = await app.create('/edge-routers', { name: 'r', ...fields, fingerprint: 'x', isVerified: true });
      assert.partialDeepStrictEqual(await read(app, id), { ...fields, isVerified: false });
      await patch(app, id, { cost: 8 });
      assert.partialDeepStrictEqual(await read(app, id), { ...fields, cost: 8 });
      await app.request('PUT', `/edge-routers/${id}`, { body: { name: 's' } });
      const reset = { name: 's', cost: 0, noTraversal: false, disabled: false, appData: {}, tags: {}, roleAttributes: null };
      assert.partialDeepStrictEqual(await read(app, id), reset);
    },
  );

  test('costs go from 0 to 65535, for every router', proves(165, 178, 462), async () => {
    await using app = await open();
    for (const path of ['/edge-routers', '/routers'])
      for (const cost of [-1, 65536]) assertInvalid(await app.request('POST', path, { body: { name: 'r', cost } }), 'cost');
  });

  test('all routers share one name space', proves(168, 178, 326), async () => {
    await using app = await open();
    const edge = await app.create('/edge-routers', { name: 'edge' });
    const plain = await app.create('/routers', { name: 'plain' });
    for (const path of ['/edge-routers', '/routers', '/transit-routers'])
      for (const name of ['edge', 'plain', '', undefined]) assertInvalid(await app.request('POST', path, { body: { name } }), 'name');
    assertInvalid(await patch(app, edge, { name: 'plain' }), 'name');
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
    for (const filter of ['hostname = ""', 'isOnline', 'isEdgeRouter'])
      assertRefused(await list(app, '/edge-routers', { filter }), 400, 'INVALID_FILTER');
    const { data, meta } = (await app.request('GET', '/edge-router-role-attributes')).body;
    assert.deepEqual([data, meta.pagination.totalCount], [['x', 'y'], 2]);
  });

  test('a tunneler brings an identity and a system policy of the same id, and takes them along', proves(167, 182, 326, 392), async () => {
    await using app = await open();
    const net = network(app);
    let id = '';
    const left = await app.trail(async () => (id = await app.create('/edge-routers', { name: 'r', isTunnelerEnabled: true })));
    assert.deepEqual(left, ['create edgeRouter', 'create identity', 'create edgeRouterPolicy', 'create enrollment']);
    const { name, typeId, isAdmin, roleAttributes } = await read(app, id, '/identities');
    assert.deepEqual({ name, typeId, isAdmin, roleAttributes }, { name: 'r', typeId: 'Router', isAdmin: false, roleAttributes: null });
    const policy = await read(app, id, '/edge-router-policies');
    assert.deepEqual(
      [policy.name, policy.semantic, policy.isSystem, policy.identityRoles, policy.edgeRouterRoles],
      [`edge-router-${id}-system`, 'AnyOf', true, [`@${id}`], [`@${id}`]],
    );
    assert.deepEqual(await net.names(`/edge-routers/${id}/identities`), ['r']);
    assert.deepEqual(await net.names(`/identities/${id}/edge-routers`), ['r']);
    await app.request('DELETE', `/edge-routers/${id}`);
    for (const path of ['/edge-routers', '/identities', '/edge-router-policies'])
      assertRefused(await app.request('GET', `${path}/${id}`), 404, 'NOT_FOUND');
  });

  test('a tunneler is switched on and off, and switching to what it is does nothing', proves(167), async () => {
    await using app = await open();
    const id = await app.create('/edge-routers', { name: 'r' });
    const switched = async (isTunnelerEnabled: boolean) => {
      await patch(app, id, { isTunnelerEnabled });
      return (await app.request('GET', `/identities/${id}`)).status;
    };
    const statuses = [];
    for (const on of [true, true, false, false, true]) statuses.push(await switched(on));
    assert.deepEqual(statuses, [200, 200, 404, 404, 200]);
    await app.request('PUT', `/edge-routers/${id}`, { body: { name: 'r' } });
    assert.equal((await app.request('GET', `/identities/${id}`)).status, 404);
  });

  test('of a router its identity takes the name, and nothing else', async () => {
    await using app = await open();
    const id = await app.create('/edge-routers', { name: 'r', isTunnelerEnabled: true });
    await app.request('PATCH', `/identities/${id}`, { body: { roleAttributes: ['mine'], tags: { own: 'x' } } });
    await patch(app, id, { name: 's', roleAttributes: ['other'], tags: { a: '1' }, disabled: true });
    const { name, roleAttributes, tags, disabled } = await read(app, id, '/identities');
    assert.deepEqual(
      { name, roleAttributes, tags, disabled },
      { name: 's', roleAttributes: ['mine'], tags: { own: 'x' }, disabled: false },
    );
    assert.equal((await read(app, id, '/edge-router-policies')).identityRolesDisplay[0].name, '@s');
  });

  test('the identity of a router is replaced with the name and type that it has, and with no others', proves(131), async () => {
    await using app = await open();
    const id = await app.create('/edge-routers', { name: 'r', isTunnelerEnabled: true });
    const replace = (fields: object, of = id) =>
      app.request('PUT', `/identities/${of}`, { body: { name: 'r', type: 'Router', isAdmin: false, roleAttributes: ['mine'], ...fields } });
    assert.equal((await replace({})).status, 200);
    const { name, typeId, roleAttributes } = await read(app, id, '/identities');
    assert.deepEqual({ name, typeId, roleAttributes }, { name: 'r', typeId: 'Router', roleAttributes: ['mine'] });
    assertInvalid(await replace({ name: 'x' }), 'name');
    assertRefused(await replace({}, 'nobody'), 404, 'NOT_FOUND');
    const other = await app.create('/identities', { name: 'other', type: 'Device', isAdmin: false });
    assertInvalid(await replace({ name: 'other' }, other), 'typeId');
  });

  test('what belongs to a router cannot be taken from it', async () => {
    await using app = await open();
    const id = await app.create('/edge-routers', { name: 'r', isTunnelerEnabled: true });
    const left = await app.trail(async () => {
      assertRefused(await app.request('DELETE', `/identities/${id}`), 400, 'ENTITY_CAN_NOT_BE_DELETED');
      assertInvalid(await app.request('PATCH', `/identities/${id}`, { body: { name: 'x' } }), 'name');
      const policy = `/edge-router-policies/${id}`;
      assertRefused(await app.request('DELETE', policy), 400, 'ENTITY_CAN_NOT_BE_DELETED');
      assertRefused(await app.request('PATCH', policy, { body: { name: 'x' } }), 400, 'ENTITY_CAN_NOT_BE_UPDATED');
      const body = { name: 'x', semantic: 'AllOf' };
      assertRefused(await app.request('PUT', policy, { body }), 400, 'ENTITY_CAN_NOT_BE_UPDATED');
    });
    assert.deepEqual(left, []);
  });

  test('a tunneler needs a free identity name, and without one nothing is changed', proves(167), async () => {
    await using app = await open();
    await app.create('/identities', { name: 'taken', type: 'Device', isAdmin: false });
    const id = await app.create('/edge-routers', { name: 'taken' });
    const tunneler = await app.create('/edge-routers', { name: 'free', isTunnelerEnabled: true });
    const left = await app.trail(async () => {
      assertInvalid(await patch(app, id, { isTunnelerEnabled: true }), 'name');
      assertInvalid(await app.request('PUT', `/edge-routers/${id}`, { body: { name: 'taken', isTunnelerEnabled: true } }), 'name');
      assertInvalid(await patch(app, tunneler, { name: 'Default Admin' }), 'name');
    });
    assert.deepEqual(left, []);
    assert.equal((await read(app, id)).isTunnelerEnabled, false);
    await patch(app, id, { name: 'other', isTunnelerEnabled: true });
    assert.equal((await read(app, id, '/identities')).name, 'other');
  });
});

onEveryStore('routers', (open) => {
  test('a router is the same under both paths, and none of the edge routers', proves(6, 178, 179, 180, 329), async () => {
    await using app = await open();
    const id = await app.create('/transit-routers', { name: 'r', cost: 5, noTraversal: true, disabled: true, tags: { a: 'b' } });
    const { createdAt, updatedAt, enrollmentJwt, enrollmentToken, ...rest } = await read(app, id, '/routers');
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
    assert.deepEqual(await read(app, id, '/transit-routers'), await read(app, id, '/routers'));
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE'])
      assertRefused(await app.request(method, `/edge-routers/${id}`, { body: { name: 'x' } }), 404, 'NOT_FOUND');
    await app.request('PUT', `/routers/${id}`, { body: { name: 's' } });
    assert.partialDeepStrictEqual(await read(app, id, '/routers'), { name: 's', cost: 0, noTraversal: false, disabled: false, tags: {} });
    await app.request('PATCH', `/routers/${id}`, { body: { cost: 9 } });
    assert.equal((await read(app, id, '/transit-routers')).cost, 9);
    await app.request('DELETE', `/transit-routers/${id}`);
    assertRefused(await app.request('GET', `/routers/${id}`), 404, 'NOT_FOUND');
  });

  test('edge routers are among the routers, where they can be deleted and not changed', proves(329), async () => {
    await using app = await open();
    const id = await app.create('/edge-routers', { name: 'r', isTunnelerEnabled: true, cost: 4 });
    const { isVerified, cost, _links } = await read(app, id, '/routers');
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
