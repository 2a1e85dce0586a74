import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { list, namesIn } from '../support/lists.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';

const SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['port'],
  properties: { port: { type: 'integer', minimum: 1, maximum: 65535 } },
} as const;
const read = async (app: App, id: string) => (await app.request('GET', `/config-types/${id}`)).body.data;

onEveryStore('config types', (open) => {
  test('ten config types are there from the start, under the ids that clients know', async () => {
    await using app = await open();
    const { body } = await list(app, '/config-types', { limit: -1, sort: 'name' });
    assert.deepEqual(
      body.data.map(({ id, name }: { id: string; name: string }) => [id, name]),
      [
        ['NH5p4FpGR', 'host.v1'],
        ['host.v2', 'host.v2'],
        ['g7cIWbcGg', 'intercept.v1'],
        ['interfaces.v1', 'interfaces.v1'],
        ['l2.host.v1', 'l2.host.v1'],
        ['l2.intercept.v1', 'l2.intercept.v1'],
        ['proxy.v1', 'proxy.v1'],
        ['router.link.v1', 'router.link.v1'],
        ['f2dd2df0-9c04-4b84-a91e-71437ac229f1', 'ziti-tunneler-client.v1'],
        ['cea49285-6c07-42cf-9f52-09a9b115c783', 'ziti-tunneler-server.v1'],
      ],
    );
    for (const { schema, tags } of body.data) assert.deepEqual([schema.type, tags], ['object', {}]);
  });

  test('a built-in config type can be changed and, while unused, deleted; it does not come back', async () => {
    await using app = await open();
    assert.equal((await app.request('PATCH', '/config-types/host.v2', { body: { tags: { ours: true } } })).status, 200);
    assert.equal((await app.request('DELETE', '/config-types/host.v2')).status, 200);
    assertRefused(await app.request('GET', '/config-types/host.v2'), 404, 'NOT_FOUND');
  });

  test('a config type is made with and without a schema, and an empty schema is none', proves(6, 97, 321), async () => {
    await using app = await open();
    for (const [name, given, stored] of [
      ['bare', undefined, null],
      ['null', null, null],
      ['empty', {}, null],
      ['full', SCHEMA, SCHEMA],
    ] as const) {
      const id = await app.create('/config-types', { name, schema: given, tags: { a: 'b' } });
      const { createdAt, updatedAt, ...fields } = await read(app, id);
      assert.deepEqual(fields, {
        _links: { self: { href: `./config-types/${id}` } },
        id,
        name,
        schema: stored,
        target: 'service',
        tags: { a: 'b' },
      });
    }
  });

  test('no config type is named all, which has a meaning of its own', async () => {
    await using app = await open();
    assertInvalid(await app.request('POST', '/config-types', { body: { name: 'all' } }), 'name');
    const id = await app.create('/config-types', { name: 'All' });
    for (const method of ['PUT', 'PATCH'])
      assertInvalid(await app.request(method, `/config-types/${id}`, { body: { name: 'all' } }), 'name');
  });

  test('a schema is an object whose root is of type object, and compiles', proves(96), async () => {
    await using app = await open();
    const bad = [
      'x',
      [],
      5,
      true,
      { type: 'string' },
      { type: 'array' },
      { properties: {} },
      { type: 'bogus' },
      { type: 'object', properties: { a: { type: 'bogus' } } },
      { type: 'object', $ref: 'https://example.com/x.json' },
    ];
    const id = await app.create('/config-types', { name: 'good', schema: SCHEMA });
    const left = await app.trail(async () => {
      for (const schema of bad) {
        assertInvalid(await app.request('POST', '/config-types', { body: { name: 'bad', schema } }), 'schema');
        assertInvalid(await app.request('PUT', `/config-types/${id}`, { body: { name: 'good', schema } }), 'schema');
        assertInvalid(await app.request('PATCH', `/config-types/${id}`, { body: { schema } }), 'schema');
      }
    });
    assert.deepEqual(left, []);
    assert.deepEqual((await read(app, id)).schema, SCHEMA);
  });

  test('a config type with configs is not deleted, and is after they are gone', proves(321, 331, 451), async () => {
    await using app = await open();
    const configTypeId = await app.create('/config-types', { name: 'used' });
    const config = await app.create('/configs', { name: 'a config', configTypeId, data: {} });
    const refused = await app.request('DELETE', `/config-types/${configTypeId}`);
    assertRefused(refused, 409, 'CAN_NOT_DELETE_REFERENCED_ENTITY');
    assert.equal(refused.body.error.cause.value, `[${config}]`);
    assert.equal((await read(app, configTypeId)).name, 'used');
    await app.request('DELETE', `/configs/${config}`);
    assert.equal((await app.request('DELETE', `/config-types/${configTypeId}`)).status, 200);
  });

  test('the configs of a type are listed below it, by filter, sort and page; of an unknown type there are none', proves(372), async () => {
    await using app = await open();
    const [one, two] = [await app.create('/config-types', { name: 'one' }), await app.create('/config-types', { name: 'two' })];
    for (const name of ['a', 'b', 'c']) await app.create('/configs', { name, configTypeId: one, data: {} });
    await app.create('/configs', { name: 'd', configTypeId: two, data: {} });
    const below = (query: Parameters<typeof list>[2], id = one) => list(app, `/config-types/${id}/configs`, query);
    assert.deepEqual(namesIn(await below({ sort: 'name' })), ['a', 'b', 'c']);
    const page = await below({ filter: 'name != "a" sort by name desc limit 1' });
    assert.deepEqual([namesIn(page), page.body.meta.pagination], [['c'], { limit: 1, offset: 0, totalCount: 2 }]);
    assert.ok(page.body.meta.filterableFields.includes('type'));
    assert.deepEqual((await below({}, 'no-such-id')).body.data, []);
    assert.equal((await below({ filter: 'true or true' })).body.meta.pagination.totalCount, 3);
  });
});
