import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { list, namesIn } from '../support/lists.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';

/** Three people and the administrator. */
const withPeople = async (app: App) => {
  const make = (name: string, roleAttributes: readonly string[], more: object = {}) =>
    app.create('/identities', { name, type: 'User', isAdmin: false, roleAttributes, ...more });
  const ann = await make('ann', ['sales', 'london'], { externalId: 'ext-ann' });
  const bob = await make('bob', ['sales'], { isAdmin: true, tags: { vip: true } });
  const cat = await make('cat', []);
  return { ann, bob, cat };
};
const query = (app: App, parameters: Parameters<typeof list>[2]) => list(app, '/identities', parameters);

onEveryStore('lists of identities', (open) => {
  test('a page has ten identities in order of id unless told otherwise, and tells the total', proves(20, 303, 469), async () => {
    await using app = await open();
    for (let i = 0; i < 12; i++) await app.create('/identities', { name: `user ${i}`, type: 'User', isAdmin: false });
    const { status, body } = await app.request('GET', '/identities');
    const ids = body.data.map(({ id }: { id: string }) => id);
    assert.equal(status, 200);
    assert.deepEqual(body.meta.pagination, { limit: 10, offset: 0, totalCount: 13 });
    assert.deepEqual(ids, ids.toSorted());
    const rest = await query(app, { offset: 10 });
    assert.deepEqual([rest.body.data.length, rest.body.meta.pagination], [3, { limit: 10, offset: 10, totalCount: 13 }]);
    assert.deepEqual((await query(app, { offset: 99 })).body.data, []);
  });

  test('limits and offsets are brought into range, and anything but integers refused', proves(20, 303, 311, 312, 444, 469), async () => {
    await using app = await open();
    const pagination = async (parameters: Parameters<typeof list>[2]) => {
      const { limit, offset } = (await query(app, parameters)).body.meta.pagination;
      return [limit, offset];
    };
    assert.deepEqual(await pagination({ limit: 0, offset: -5 }), [10, 0]);
    assert.deepEqual(await pagination({ limit: 501, offset: 100_001 }), [500, 100_000]);
    assert.deepEqual(await pagination({ limit: -2, offset: '' }), [10, 0]);
    assert.deepEqual(await pagination({ limit: '+03', offset: '03' }), [3, 3]);
    assert.deepEqual(await pagination({ limit: 7, offset: 3, filter: 'true skip 1 limit 2' }), [2, 1]);
    assert.match((await query(app, { limit: -1 })).text, /"limit":9223372036854775807,/);
    for (const value of ['abc', '1.5', '9223372036854775808', '1e3']) {
      assertInvalid(await query(app, { limit: value }), 'limit');
      assertInvalid(await query(app, { offset: value }), 'offset');
    }
  });

  test('identities are found by each of their filter fields', proves(313), async () => {
    await using app = await open();
    const { ann } = await withPeople(app);
    const found = async (filter: string) => namesIn(await query(app, { filter: `${filter} sort by name` }));
    assert.deepEqual(await found(`id = "${ann}"`), ['ann']);
    assert.deepEqual(await found('name = "bob"'), ['bob']);
    assert.deepEqual(await found('externalId = "ext-ann"'), ['ann']);
    assert.deepEqual(await found('isAdmin'), ['Default Admin', 'bob']);
    assert.deepEqual(await found('isDefaultAdmin'), ['Default Admin']);
    assert.deepEqual(await found('anyOf(roleAttributes) = "sales"'), ['ann', 'bob']);
    assert.deepEqual(await found('isEmpty(roleAttributes)'), ['Default Admin', 'cat']);
    assert.deepEqual(await found('tags.vip'), ['bob']);
    assert.deepEqual(await found('type = "Default"'), ['Default Admin', 'ann', 'bob', 'cat']);
    assert.deepEqual(await found('authPolicyId != "default"'), []);
    assert.deepEqual(await found('createdAt > datetime(2026-11-21T10:00:01Z)'), []);
    assert.deepEqual(await found('isDefaultAdmin and isAdmin or name = "bob"'), ['Default Admin']);
  });

  test('a filter that is none is refused, and so are unknown and secret names', proves(303, 317, 444), async () => {
    await using app = await open();
    const everyFilter = [
      'name =',
      'nope = 1',
      'name',
      ' ',
      'passwordHash = "x"',
      'disabledAt = null',
      'roleAttributes = "x"',
      'isAdmin = "x"',
    ];
    for (const filter of everyFilter) {
      assertRefused(await query(app, { filter }), 400, 'INVALID_FILTER');
    }
  });

  test('lists are sorted by the parameter, and by the filter when it says so', proves(317, 444), async () => {
    await using app = await open();
    await withPeople(app);
    assert.deepEqual(namesIn(await query(app, { sort: 'isAdmin desc, name' })), ['Default Admin', 'bob', 'ann', 'cat']);
    assert.deepEqual(namesIn(await query(app, { sort: 'name', filter: 'true sort by name desc skip 1 limit 2' })), ['bob', 'ann']);
    for (const sort of ['nope', 'roleAttributes', 'tags', 'tags.vip', 'name up'])
      assertRefused(await query(app, { sort }), 400, 'INVALID_SORT_IDENTIFIER');
  });

  test('role filters select by attributes, by all of them unless AnyOf is said', proves(314), async () => {
    await using app = await open();
    const { ann, cat } = await withPeople(app);
    const found = async (roleFilter: readonly string[], roleSemantic?: string) =>
      namesIn(await query(app, { roleFilter, sort: 'name', ...(roleSemantic ? { roleSemantic } : {}) }));
    assert.deepEqual(await found(['#sales']), ['ann', 'bob']);
    assert.deepEqual(await found(['#sales', '#london']), ['ann']);
    assert.deepEqual(await found(['#sales', '#london'], 'AllOf'), ['ann']);
    assert.deepEqual(await found(['#sales', '#london'], 'AnyOf'), ['ann', 'bob']);
    assert.deepEqual(await found(['#sales', '#london'], 'anyof'), ['ann', 'bob']);
    assert.deepEqual(await found([`@${cat}`]), ['cat']);
    assert.deepEqual(await found(['#london', `@${cat}`, `@${ann}`]), ['ann', 'cat']);
    assert.deepEqual(await found(['@ann']), []);
    assert.deepEqual(await found(['#all']), []);
    assert.deepEqual(namesIn(await query(app, { roleFilter: ['#sales'], filter: 'isAdmin' })), ['bob']);
  });

  test('a role filter without # or @, and a semantic that is none, are refused', proves(314), async () => {
    await using app = await open();
    assertInvalid(await query(app, { roleFilter: ['sales'] }), 'roleFilter');
    assertInvalid(await query(app, { roleFilter: ['#sales'], roleSemantic: 'Most' }), 'semantic');
  });

  test('identity types are Default and Router, by list and by id', proves(213, 344), async () => {
    await using app = await open();
    const { body } = await list(app, '/identity-types', { sort: 'name desc' });
    assert.deepEqual(namesIn({ body } as never), ['Router', 'Default']);
    const { data } = (await app.request('GET', '/identity-types/Router')).body;
    assert.deepEqual(data, {
      _links: { self: { href: './identity-types/Router' } },
      createdAt: data.createdAt,
      id: 'Router',
      name: 'Router',
      tags: {},
      updatedAt: data.updatedAt,
    });
    assertRefused(await list(app, '/identity-types', { filter: 'none = 1' }), 400, 'INVALID_FILTER');
    assertRefused(await app.request('GET', '/identity-types/Nope'), 404, 'NOT_FOUND');
    for (const method of ['PUT', 'PATCH', 'DELETE'])
      assertRefused(await app.request(method, '/identity-types/Default', { body: { name: 'x' } }), 405, 'METHOD_NOT_ALLOWED');
  });
});
