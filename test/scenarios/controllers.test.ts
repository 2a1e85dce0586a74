import assert from 'node:assert/strict';
import { test } from 'node:test';
import { controller } from '../../src/contract/api/controllers.ts';
import { proves } from '../specification.ts';
import { type App, onEveryStore, openApp } from '../support/app.ts';
import { list } from '../support/lists.ts';
import { assertRefused } from '../support/refusals.ts';
import { newSharedStorage } from '../support/stores.ts';

const names = async (app: App, filter = 'true sort by name') =>
  (await list(app, '/controllers', { filter })).body.data.map(({ name }: { name: string }) => name);

onEveryStore('the controllers of a network', (open, store) => {
  test('one without a name is not listed, and fields usable in filters are reported all the same', async () => {
    await using app = await open();
    const { data, meta } = (await app.request('GET', '/controllers')).body;
    assert.deepEqual([data, meta.pagination], [[], { limit: 10, offset: 0, totalCount: 0 }]);
    const fields = [
      'certPem',
      'createdAt',
      'ctrlAddress',
      'fingerprint',
      'id',
      'isOnline',
      'isPreferredLeader',
      'isSystem',
      'lastJoinedAt',
      'name',
      'tags',
      'updatedAt',
    ];
    assert.deepEqual(meta.filterableFields.toSorted(), fields);
    assert.equal((await app.request('GET', '/summary')).body.data.controllers, 0);
  });

  test('each controller with a name shows how it is reached, and clients see what is for them', proves(104, 346), async () => {
    await using app = await open({
      member: { name: 'ctrl-1', ctrlAddress: 'tls:ctrl:6262' },
      settings: { address: 'https://ctrl.example:8441' },
    });
    const [shown] = (await app.request('GET', '/controllers')).body.data;
    assert.partialDeepStrictEqual(controller.schemas.detail.parse(shown), shown);
    assert.match(shown.certPem, /^-----BEGIN CERTIFICATE-----/);
    assert.match(shown.fingerprint, /^[0-9a-f]{40}$/);
    const { name, ctrlAddress, isOnline, lastJoinedAt, apiAddresses } = shown;
    assert.deepEqual(
      { name, ctrlAddress, isOnline, lastJoinedAt, apiAddresses },
      {
        name: 'ctrl-1',
        ctrlAddress: 'tls:ctrl:6262',
        isOnline: true,
        lastJoinedAt: '2026-11-21T10:00:00.000Z',
        apiAddresses: {
          'edge-client': [{ url: 'https://ctrl.example:8441/edge/client/v1', version: 'v1' }],
          'edge-management': [{ url: 'https://ctrl.example:8441/edge/management/v1', version: 'v1' }],
          'edge-oidc': [{ url: 'https://ctrl.example:8441/oidc', version: 'v1' }],
          fabric: [{ url: 'https://ctrl.example:8441/fabric/v1', version: 'v1' }],
        },
      },
    );
    const as = await (await app.user()).login();
    const [seen] = (await app.request('GET', '/edge/client/v1/controllers', { as })).body.data;
    assert.deepEqual(seen, {
      ...shown,
      ctrlAddress: null,
      apiAddresses: { 'edge-client': apiAddresses['edge-client'], 'edge-oidc': apiAddresses['edge-oidc'] },
    });
    assert.equal((await app.request('GET', '/summary')).body.data.controllers, 1);
  });

  test('the client API lists controllers to every session, the management API to those that may read them, and to every session in release 1.7', async () => {
    for (const [compat, status] of [
      ['2.0', 401],
      ['1.7', 200],
    ] as const) {
      await using app = await open({ settings: { compat }, member: { name: 'a' } });
      const plain = await (await app.user()).login();
      assert.equal((await app.request('GET', '/controllers', { as: plain })).status, status, compat);
      const ids = (await app.request('GET', '/edge/client/v1/controllers', { as: plain })).body.data.map(({ id }: { id: string }) => id);
      for (const permission of ['controllers', 'controllers.read', 'admin_readonly']) {
        const as = await (await app.user({ permissions: [permission] })).login();
        const { data } = (await app.request('GET', '/controllers', { as })).body;
        assert.deepEqual(
          data.map(({ id }: { id: string }) => id),
          ids,
          permission,
        );
      }
    }
  });

  test('every controller of a network is a voting member of the cluster, and the one that answers leads', async () => {
    await using shared = newSharedStorage(store);
    const settings = { compat: '1.7' } as const;
    const first = await openApp(store, { storage: shared.adapter(), member: { name: 'a', ctrlAddress: 'tls:a:6262' }, settings });
    await using second = await openApp(store, { storage: shared.adapter(), member: { name: 'b', ctrlAddress: 'tls:b:6262' }, settings });
    const members = async (app: App) => (await app.request('GET', '/fabric/v1/cluster/list-members')).body.data;
    const of = (name: string, leader: boolean, connected = true) => {
      const member = { id: name, address: `tls:${name}:6262`, version: 'v1.7.2', leader, connected, voter: true, readOnly: false };
      return member;
    };
    assert.deepEqual(await members(first), [of('a', true), of('b', false)]);
    assert.deepEqual(await members(second), [of('b', true), of('a', false)]);
    await first.close();
    assert.deepEqual(await members(second), [of('b', true), of('a', false, false)]);
  });

  test('a controller without a name is the only member of its cluster', async () => {
    await using app = await open();
    const [own, ...others] = (await app.request('GET', '/fabric/v1/cluster/list-members')).body.data;
    assert.deepEqual([typeof own.id, own.leader, own.connected, others], ['string', true, true, []]);
    const as = await (await app.user()).login();
    assertRefused(await app.request('GET', '/fabric/v1/cluster/list-members', { as }), 401, 'UNAUTHORIZED');
  });

  test('several on one store list themselves, and one that closes is offline', proves(104, 374), async () => {
    await using shared = newSharedStorage(store);
    const first = await openApp(store, { storage: shared.adapter(), member: { name: 'a' } });
    await using second = await openApp(store, { storage: shared.adapter(), member: { name: 'b' } });
    assert.deepEqual(await names(second), ['a', 'b']);
    assert.deepEqual(await names(first, 'isOnline = true sort by name desc'), ['b', 'a']);
    const left = await second.trail(() => first.close());
    assert.deepEqual(left, [], 'to come and go for a while is no change');
    assert.deepEqual(await names(second, 'isOnline = true'), ['b']);
    assert.deepEqual(await names(second, 'isOnline = false'), ['a']);
    assert.deepEqual(await names(second, 'isPreferredLeader = true'), []);
    assert.deepEqual(await names(second, 'isPreferredLeader = false sort by name'), ['a', 'b']);
    assert.deepEqual(await names(second, 'name contains "a" and lastJoinedAt > datetime(2020-01-01T00:00:00Z)'), ['a']);
  });

  test(
    'one that is lost is offline after a minute, the same again when it comes back, and forgotten a day later',
    proves(104),
    async () => {
      await using shared = newSharedStorage(store);
      await using watching = await openApp(store, { storage: shared.adapter() });
      await using lost = await openApp(store, { storage: shared.adapter(), member: { name: 'a' } });
      const [before] = (await lost.request('GET', '/controllers')).body.data;
      watching.clock.advance('59s');
      assert.deepEqual(await names(watching, 'isOnline = true'), ['a']);
      watching.clock.advance('1s');
      assert.deepEqual(await names(watching, 'isOnline = true'), []);

      const { clock } = watching;
      clock.advance('1m');
      await using back = await openApp(store, { storage: shared.adapter(), member: { name: 'a' }, platform: { clock } });
      const [after] = (await back.request('GET', '/controllers')).body.data;
      assert.deepEqual([after.id, after.createdAt, after.isOnline], [before.id, before.createdAt, true]);
      assert.ok(after.lastJoinedAt > before.lastJoinedAt);
      await back.close();
      clock.advance('2d');
      await using other = await openApp(store, { storage: shared.adapter(), member: { name: 'b' }, platform: { clock } });
      assert.deepEqual(await names(other), ['b']);
    },
  );

  test('lists of controllers are cut into pages and take no strange filters, and nothing else can be done there', proves(374), async () => {
    await using shared = newSharedStorage(store);
    await using app = await openApp(store, { storage: shared.adapter(), member: { name: 'a' } });
    await using _b = await openApp(store, { storage: shared.adapter(), member: { name: 'b' } });
    const page = await list(app, '/controllers', { limit: 1, offset: 1, sort: 'name' });
    assert.deepEqual([page.body.data[0].name, page.body.meta.pagination], ['b', { limit: 1, offset: 1, totalCount: 2 }]);
    assertRefused(await list(app, '/controllers', { filter: 'nothing=1' }), 400, 'INVALID_FILTER');
    assertRefused(await list(app, '/controllers', { sort: 'apiAddresses' }), 400, 'INVALID_SORT_IDENTIFIER');
    assertRefused(await app.request('GET', '/controllers', { as: null }), 401, 'UNAUTHORIZED');
    assertRefused(await app.request('POST', '/controllers', { body: {} }), 405, 'METHOD_NOT_ALLOWED');
  });

  test('a controller without a name is not opened', async () => {
    await assert.rejects(open({ member: { name: '' } }), (error: unknown) => error instanceof TypeError && /name/.test(error.message));
  });
});
