import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { network } from '../support/network.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';
import { patchEdgeRouter } from '../support/routers.ts';

const read = async (app: App, id: string, path = '/edge-routers') => (await app.request('GET', `${path}/${id}`)).body.data;

onEveryStore('tunnelers', (open) => {
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
      await patchEdgeRouter(app, id, { isTunnelerEnabled });
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
    await patchEdgeRouter(app, id, { name: 's', roleAttributes: ['other'], tags: { a: '1' }, disabled: true });
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

  test('what belongs to a router cannot be taken from it', proves(446), async () => {
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
      assertInvalid(await patchEdgeRouter(app, id, { isTunnelerEnabled: true }), 'name');
      assertInvalid(await app.request('PUT', `/edge-routers/${id}`, { body: { name: 'taken', isTunnelerEnabled: true } }), 'name');
      assertInvalid(await patchEdgeRouter(app, tunneler, { name: 'Default Admin' }), 'name');
    });
    assert.deepEqual(left, []);
    assert.equal((await read(app, id)).isTunnelerEnabled, false);
    await patchEdgeRouter(app, id, { name: 'other', isTunnelerEnabled: true });
    assert.equal((await read(app, id, '/identities')).name, 'other');
  });
});
