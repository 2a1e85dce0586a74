import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryStore } from '../../../../support/app.ts';
import { assertInvalid } from '../../../../support/refusals.ts';

const PORT = { type: 'object', properties: { port: { type: 'integer' } }, required: ['port'], additionalProperties: false };

onEveryStore('configs and their types', (open) => {
  test('a schema that cannot be used is refused on create, replace and patch', async () => {
    await using app = await open();
    const id = await app.create('/config-types', { name: 'ports', schema: PORT });
    for (const schema of [
      { type: 'string' },
      { properties: {} },
      { type: 'object', properties: { a: { type: 'bogus' } } },
      { type: 'object', $ref: '#' },
    ]) {
      assertInvalid(await app.request('POST', '/config-types', { body: { name: 'other', schema } }), 'schema');
      assertInvalid(await app.request('PUT', `/config-types/${id}`, { body: { name: 'ports', schema } }), 'schema');
      assertInvalid(await app.request('PATCH', `/config-types/${id}`, { body: { schema } }), 'schema');
    }
    assert.deepEqual((await app.request('GET', `/config-types/${id}`)).body.data.schema, PORT);
  });

  test('data is held against the schema of the stored type on create, replace and patch', async () => {
    await using app = await open();
    const configTypeId = await app.create('/config-types', { name: 'ports', schema: PORT });
    const anything = await app.create('/config-types', { name: 'anything' });
    assertInvalid(await app.request('POST', '/configs', { body: { name: 'c', configTypeId, data: { port: 'x' } } }), 'port');
    const id = await app.create('/configs', { name: 'c', configTypeId, data: { port: 1 } });
    assertInvalid(await app.request('PUT', `/configs/${id}`, { body: { name: 'c', configTypeId: anything, data: {} } }), '(root)');
    assertInvalid(await app.request('PATCH', `/configs/${id}`, { body: { data: { port: 1, prot: 2 } } }), '(root)');
    assert.equal((await app.request('PUT', `/configs/${id}`, { body: { name: 'c', data: { port: 2 } } })).status, 200);
    assert.deepEqual((await app.request('GET', `/configs/${id}`)).body.data.data, { port: 2 });
  });

  test('a type without a schema takes any object', async () => {
    await using app = await open();
    const configTypeId = await app.create('/config-types', { name: 'anything', schema: {} });
    const id = await app.create('/configs', { name: 'c', configTypeId, data: { any: ['thing'] } });
    assert.deepEqual((await app.request('GET', `/configs/${id}`)).body.data.data, { any: ['thing'] });
  });

  test('a schema that changes leaves configs alone until their data is written', async () => {
    await using app = await open();
    const configTypeId = await app.create('/config-types', { name: 'ports', schema: PORT });
    const id = await app.create('/configs', { name: 'c', configTypeId, data: { port: 1 } });
    assert.equal(
      (await app.request('PATCH', `/config-types/${configTypeId}`, { body: { schema: { type: 'object', required: ['host'] } } })).status,
      200,
    );
    assert.equal((await app.request('PATCH', `/configs/${id}`, { body: { name: 'd' } })).status, 200);
    assertInvalid(await app.request('PATCH', `/configs/${id}`, { body: { data: { port: 1 } } }), '(root)');
  });
});
