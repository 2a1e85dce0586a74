import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { type App, onEveryStore, openApp } from '../support/app.ts';
import { list } from '../support/lists.ts';
import { network } from '../support/network.ts';
import { checkOf } from '../support/posture.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';

const PATH = '/identity-role-attributes';
const PATHS = ['/identity-role-attributes', '/service-role-attributes', '/edge-router-role-attributes', '/posture-check-role-attributes'];
const carrying = (app: App, name: string, roleAttributes: readonly string[]) =>
  app.create('/identities', { name, type: 'User', isAdmin: false, roleAttributes });

onEveryStore('role attributes in use', (open) => {
  test('role attributes in use are listed, each once, all of them, by code point', proves(389), async () => {
    await using app = await open();
    const many = Array.from({ length: 30 }, (_, i) => `a${String(i).padStart(2, '0')}`);
    await carrying(app, 'ann', [...many, 'Z', 'é', '😀', '\ufb01']);
    await carrying(app, 'bob', ['a00', 'b']);
    const { body } = await app.request('GET', PATH);
    assert.deepEqual(body.data, ['Z', ...many, 'b', 'é', '\ufb01', '😀']);
    assert.deepEqual(body.meta.filterableFields, ['id']);
    assert.equal(body.meta.pagination.totalCount, 35);
  });

  test('each kind has a list of the attributes that its own entities carry', proves(389), async () => {
    await using app = await open();
    const net = network(app);
    await net.identity('ann', 'of identities', 'shared');
    await net.service('web', 'of services', 'shared');
    await net.router('edge', 'of routers', 'shared');
    await checkOf(app, 'mfa', { typeId: 'MFA', roleAttributes: ['of checks', 'shared'] });
    const listed = await Promise.all(PATHS.map(async (path) => (await app.request('GET', path)).body.data));
    assert.deepEqual(
      listed,
      ['of identities', 'of services', 'of routers', 'of checks'].map((own) => [own, 'shared']),
    );
  });

  test('role attribute lists obey limit, offset and filter, each of the four', proves(389, 390), async () => {
    await using app = await open();
    const [net, attributes] = [network(app), ['a', 'b', 'c', 'd']];
    await Promise.all([net.identity('ann', ...attributes), net.service('web', ...attributes), net.router('edge', ...attributes)]);
    await checkOf(app, 'mfa', { typeId: 'MFA', roleAttributes: attributes });
    for (const path of PATHS) {
      const page = await list(app, path, { limit: 2, offset: 1 });
      assert.deepEqual([page.body.data, page.body.meta.pagination], [['b', 'c'], { limit: 2, offset: 1, totalCount: 4 }], path);
      assert.deepEqual((await list(app, path, { filter: 'true skip 3 limit 5' })).body.data, ['d'], path);
      assert.deepEqual((await list(app, path, { filter: 'id > "b"' })).body.data, ['c', 'd'], path);
      for (const field of ['limit', 'offset']) assertInvalid(await list(app, path, { [field]: 'x' }), field);
      assertRefused(await list(app, path, { filter: 'name = "a"' }), 400, 'INVALID_FILTER');
    }
  });

  test('role attribute lists obey filter and sort by id, and know no other field', proves(389), async () => {
    await using app = await open();
    await carrying(app, 'ann', ['red', 'blue', 'dark red']);
    assert.deepEqual((await list(app, PATH, { filter: 'id contains "red"' })).body.data, ['dark red', 'red']);
    assert.deepEqual((await list(app, PATH, { sort: 'id desc' })).body.data, ['red', 'dark red', 'blue']);
    for (const filter of ['name = "red"', 'id =', 'createdAt = null'])
      assertRefused(await list(app, PATH, { filter }), 400, 'INVALID_FILTER');
    for (const filter of ['sort by name', 'true sort by createdAt'])
      assertRefused(await list(app, PATH, { filter }), 400, 'INVALID_FILTER');
  });

  test('a sort by name is a sort by the attribute, and the sort in a filter wins', async () => {
    await using app = await open();
    await carrying(app, 'ann', ['red', 'blue', 'dark red']);
    const sorted = async (query: Record<string, string>) => (await list(app, PATH, query)).body.data;
    for (const sort of ['name', 'name asc', 'id', 'name  asc', 'name, id desc'])
      assert.deepEqual(await sorted({ sort }), ['blue', 'dark red', 'red'], sort);
    for (const sort of ['name desc', 'id desc', 'name DESC, id'])
      assert.deepEqual(await sorted({ sort }), ['red', 'dark red', 'blue'], sort);
    assert.deepEqual(await sorted({ sort: 'name asc', filter: 'true sort by id desc' }), ['red', 'dark red', 'blue']);
  });

  test('any other sort of a role attribute list is ignored, on each of the four', async () => {
    await using app = await open();
    await carrying(app, 'ann', ['red', 'blue', 'dark red']);
    for (const sort of ['createdAt desc', 'tags.x', 'name desc, createdAt', 'roleAttributes desc', 'desc', ')(', '', ' ', 'sort by name'])
      assert.deepEqual((await list(app, PATH, { sort, limit: 2 })).body.data, ['blue', 'dark red'], `sort=${sort}`);
    for (const path of PATHS)
      for (const sort of ['name asc', 'createdAt'])
        assert.equal((await list(app, path, { limit: 100, offset: 0, sort })).status, 200, path);
  });

  test('an attribute that nobody carries any more is no longer listed', proves(290), async () => {
    await using app = await open();
    const id = await carrying(app, 'ann', ['a', 'b']);
    await app.request('PATCH', `/identities/${id}`, { body: { roleAttributes: ['b'] } });
    assert.deepEqual((await app.request('GET', PATH)).body.data, ['b']);
    await app.request('PATCH', `/identities/${id}`, { body: { roleAttributes: [] } });
    assert.deepEqual((await app.request('GET', PATH)).body.data, []);
  });
});

onEveryStore('the usage of role attributes', (open) => {
  const usageOf = async (app: App, kind: string, query = {}) =>
    Object.fromEntries(
      (await list(app, `/${kind}-role-attribute-usage`, query)).body.data.map(
        (each: { roleAttribute: string; usage: Record<string, { count: number; ids?: string[] }> }) => [each.roleAttribute, each.usage],
      ),
    );

  test('each attribute shows how many entities carry it, and how many policies name it, each kind of policy by itself', async () => {
    await using app = await open();
    const net = network(app);
    await net.identity('ann', 'staff', 'sales');
    await net.identity('bob', 'staff');
    await net.dial({ identities: ['#staff', '#ghosts'], services: ['#all'] });
    await net.routersOfIdentities({ identities: ['#staff'], routers: ['#eu'] });
    await net.routersOfServices({ services: ['#web'], routers: ['#eu', '#us'] });
    await net.router('fra', 'eu');
    const counted = async (kind: string) =>
      Object.fromEntries(
        Object.entries(await usageOf(app, kind)).map(([attribute, usage]) => [
          attribute,
          Object.entries(usage as Record<string, { count: number }>).map(([source, { count }]) => `${source} ${count}`),
        ]),
      );
    assert.deepEqual(await counted('identity'), {
      ghosts: ['identities 0', 'servicePolicies 1', 'edgeRouterPolicies 0'],
      sales: ['identities 1', 'servicePolicies 0', 'edgeRouterPolicies 0'],
      staff: ['identities 2', 'servicePolicies 1', 'edgeRouterPolicies 1'],
    });
    assert.deepEqual(await counted('edge-router'), {
      eu: ['edgeRouters 1', 'edgeRouterPolicies 1', 'serviceEdgeRouterPolicies 1'],
      us: ['edgeRouters 0', 'edgeRouterPolicies 0', 'serviceEdgeRouterPolicies 1'],
    });
    assert.deepEqual(await counted('service'), { web: ['services 0', 'servicePolicies 0', 'serviceEdgeRouterPolicies 1'] });
    assert.deepEqual(await counted('posture-check'), {});
  });

  test('ids are listed on request, at most 100 for each source', async () => {
    await using app = await open();
    const ids: string[] = [];
    for (let i = 0; i < 101; i++) ids.push(await carrying(app, `identity ${i}`, ['many']));
    const policy = await network(app).dial({ identities: ['#many'], services: ['#all'] });
    assert.deepEqual((await usageOf(app, 'identity')).many, {
      identities: { count: 101 },
      servicePolicies: { count: 1 },
      edgeRouterPolicies: { count: 0 },
    });
    const { identities, servicePolicies, edgeRouterPolicies } = (await usageOf(app, 'identity', { withIds: 'true' })).many;
    assert.deepEqual(
      [identities.count, new Set(identities.ids).size, identities.ids.every((id: string) => ids.includes(id))],
      [101, 100, true],
    );
    assert.deepEqual(
      [servicePolicies, edgeRouterPolicies],
      [
        { count: 1, ids: [policy] },
        { count: 0, ids: [] },
      ],
    );
    assertInvalid(await list(app, '/identity-role-attribute-usage', { withIds: 'perhaps' }), 'withIds');
  });

  test('attributes are filtered, sorted and paged, and a page has at most 100', async () => {
    await using app = await open();
    const many = Array.from({ length: 120 }, (_, i) => `a${String(i).padStart(3, '0')}`);
    await carrying(app, 'ann', [...many, 'b']);
    const page = async (query: Parameters<typeof list>[2]) => {
      const { data, meta } = (await list(app, '/identity-role-attribute-usage', query)).body;
      return [data.map(({ roleAttribute }: { roleAttribute: string }) => roleAttribute), meta.pagination, meta.filterableFields];
    };
    assert.deepEqual(await page({}), [many.slice(0, 10), { limit: 10, offset: 0, totalCount: 121 }, ['id']]);
    assert.deepEqual((await page({ sort: 'id desc', limit: 2 }))[0], ['b', 'a119']);
    assert.deepEqual((await page({ filter: 'id contains "b" or id = "a001"' }))[0], ['a001', 'b']);
    for (const limit of [-1, 500]) assert.deepEqual((await page({ limit }))[1], { limit: 100, offset: 0, totalCount: 121 });
    assertRefused(await list(app, '/identity-role-attribute-usage', { filter: 'name = "a"' }), 400, 'INVALID_FILTER');
  });
});

test('a caller that only the rule of the host lets in sees no policies in the usage of role attributes', async () => {
  const authorize = ({ right }: { readonly right?: string | undefined }) => (right === 'identity.read' ? true : undefined);
  await using app = await openApp('memory', { authorize });
  await carrying(app, 'ann', ['staff']);
  await network(app).dial({ identities: ['#staff', '#ghosts'], services: ['#all'] });
  const user = await app.user();
  const { data } = (await app.request('GET', '/identity-role-attribute-usage', { as: await user.login() })).body;
  assert.deepEqual(data, [{ roleAttribute: 'staff', usage: { identities: { count: 1 } } }]);
});
