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
  properties: {
    port: { type: 'integer', minimum: 1, maximum: 65535 },
    host: { type: 'string', minLength: 2 },
    mode: { type: 'string', enum: ['a', 'b'] },
    list: { type: 'array', items: { type: 'integer' }, minItems: 1, uniqueItems: true },
  },
} as const;
const typed = (app: App, schema?: object) => app.create('/config-types', { name: 'a type', schema });
const read = async (app: App, id: string) => (await app.request('GET', `/configs/${id}`)).body.data;

onEveryStore('configs', (open) => {
  test('a config shows its type and its data as they were given', proves(6, 28, 99, 102, 322), async () => {
    await using app = await open();
    const configTypeId = await typed(app, SCHEMA);
    const id = await app.create('/configs', {
      name: 'web',
      configTypeId,
      data: { port: 1.0, host: 'hh', mode: 'b', list: [3, 1] },
      tags: { a: 'b' },
    });
    const { createdAt, updatedAt, ...fields } = await read(app, id);
    assert.deepEqual(fields, {
      _links: { self: { href: `./configs/${id}` } },
      id,
      name: 'web',
      configTypeId,
      configType: {
        _links: { self: { href: `./config-types/${configTypeId}` } },
        entity: 'config-types',
        id: configTypeId,
        name: 'a type',
      },
      data: { port: 1, host: 'hh', mode: 'b', list: [3, 1] },
      tags: { a: 'b' },
    });
  });

  test('data that breaks the schema of its type is refused with the place of the fault', proves(96, 100), async () => {
    await using app = await open();
    const configTypeId = await typed(app, SCHEMA);
    const faults: readonly (readonly [object, string])[] = [
      [{}, '(root)'],
      [{ port: 1, more: 1 }, '(root)'],
      [{ port: 'x' }, 'port'],
      [{ port: 0 }, 'port'],
      [{ port: 65536 }, 'port'],
      [{ port: 1.5 }, 'port'],
      [{ port: 1, mode: 'c' }, 'mode'],
      [{ port: 1, host: 'h' }, 'host'],
      [{ port: 1, list: [] }, 'list'],
      [{ port: 1, list: [1, 'x'] }, 'list.1'],
      [{ port: 1, list: [2, 2] }, 'list'],
    ];
    const id = await app.create('/configs', { name: 'good', configTypeId, data: { port: 1 } });
    const left = await app.trail(async () => {
      for (const [data, field] of faults) {
        assertInvalid(await app.request('POST', '/configs', { body: { name: 'bad', configTypeId, data } }), field);
        assertInvalid(await app.request('PUT', `/configs/${id}`, { body: { name: 'good', data } }), field);
        assertInvalid(await app.request('PATCH', `/configs/${id}`, { body: { data } }), field);
      }
    });
    assert.deepEqual(left, []);
    assert.deepEqual((await read(app, id)).data, { port: 1 });
  });

  test('a type without a schema takes any object', async () => {
    await using app = await open();
    const configTypeId = await typed(app);
    const data = { a: { b: [1, null, true, 'x', 1.5] }, '': 'empty', 'ünï 😀': -0.5 };
    const id = await app.create('/configs', { name: 'anything', configTypeId, data });
    assert.deepEqual((await read(app, id)).data, data);
    assert.equal((await app.request('PUT', `/configs/${id}`, { body: { name: 'nothing', data: {} } })).status, 200);
    assert.deepEqual((await read(app, id)).data, {});
  });

  test('data is needed on create and replace, and is an object', proves(100), async () => {
    await using app = await open();
    const configTypeId = await typed(app);
    const id = await app.create('/configs', { name: 'good', configTypeId, data: { a: 1 } });
    for (const data of [undefined, null, [], 'x', 5, true]) {
      assertInvalid(await app.request('POST', '/configs', { body: { name: 'bad', configTypeId, data } }), 'data');
      assertInvalid(await app.request('PUT', `/configs/${id}`, { body: { name: 'good', data } }), 'data');
    }
    for (const data of [[], 'x', 5, true]) assertInvalid(await app.request('PATCH', `/configs/${id}`, { body: { data } }), 'data');
    assert.deepEqual((await read(app, id)).data, { a: 1 });
  });

  test('a config needs the id of a config type, which its name is not', proves(98), async () => {
    await using app = await open();
    const configTypeId = await typed(app);
    assertInvalid(await app.request('POST', '/configs', { body: { name: 'bad', data: {} } }), 'configTypeId');
    assertInvalid(await app.request('POST', '/configs', { body: { name: 'bad', configTypeId: null, data: {} } }), 'configTypeId');
    for (const other of ['no-such-type', 'a type', 'intercept.v1', ''])
      assertInvalid(await app.request('POST', '/configs', { body: { name: 'bad', configTypeId: other, data: {} } }), 'type');
    await app.create('/configs', { name: 'good', configTypeId, data: {} });
  });

  test('a replace sets name, data and tags, and the type stays what it was', proves(322), async () => {
    await using app = await open();
    const configTypeId = await typed(app);
    const id = await app.create('/configs', { name: 'one', configTypeId, data: { a: 1 }, tags: { a: 'b' } });
    const { status, body } = await app.request('PUT', `/configs/${id}`, { body: { name: 'two', data: { b: 2 }, configTypeId: 'host.v2' } });
    assert.deepEqual([status, body.data], [200, {}]);
    const { name, data, tags, configTypeId: kept } = await read(app, id);
    assert.deepEqual({ name, data, tags, kept }, { name: 'two', data: { b: 2 }, tags: {}, kept: configTypeId });
  });

  test('a patch changes what it names, with or without data, never the type', proves(102, 103, 322), async () => {
    await using app = await open();
    const configTypeId = await typed(app, SCHEMA);
    const id = await app.create('/configs', { name: 'one', configTypeId, data: { port: 1, host: 'hh' } });
    const patch = async (body: object) => {
      assert.equal((await app.request('PATCH', `/configs/${id}`, { body })).status, 200);
      const { name, data, tags, configTypeId } = await read(app, id);
      return { name, data, tags, configTypeId };
    };
    assert.deepEqual(await patch({ name: 'two' }), { name: 'two', data: { port: 1, host: 'hh' }, tags: {}, configTypeId });
    assert.deepEqual(await patch({ tags: { a: true } }), { name: 'two', data: { port: 1, host: 'hh' }, tags: { a: true }, configTypeId });
    assert.deepEqual(await patch({ data: { port: 2 }, tags: null }), { name: 'two', data: { port: 2 }, tags: { a: true }, configTypeId });
    assert.deepEqual(await app.trail(() => patch({ configTypeId: 'host.v2', data: null })), []);
  });

  test('configs are not held against a schema that came later until their data is written again', proves(103), async () => {
    await using app = await open();
    const configTypeId = await typed(app, SCHEMA);
    const id = await app.create('/configs', { name: 'one', configTypeId, data: { port: 1 } });
    await app.request('PATCH', `/config-types/${configTypeId}`, { body: { schema: { type: 'object', required: ['host'] } } });
    assert.deepEqual((await read(app, id)).data, { port: 1 });
    assert.equal((await app.request('PATCH', `/configs/${id}`, { body: { name: 'two' } })).status, 200);
    assertInvalid(await app.request('PATCH', `/configs/${id}`, { body: { data: { port: 1 } } }), '(root)');
    assertInvalid(await app.request('PUT', `/configs/${id}`, { body: { name: 'two', data: { port: 1 } } }), '(root)');
  });

  test('configs are listed by name and type, and their data cannot be asked for', proves(322), async () => {
    await using app = await open();
    const configTypeId = await typed(app);
    for (const name of ['b', 'a']) await app.create('/configs', { name, configTypeId, data: { n: 2 } });
    assert.deepEqual(namesIn(await list(app, '/configs', { filter: `type = "${configTypeId}" sort by name` })), ['a', 'b']);
    for (const filter of ['data.n = 2', 'configTypeId = "x"'])
      assertRefused(await list(app, '/configs', { filter }), 400, 'INVALID_FILTER');
  });
});
