import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryStore } from '../support/app.ts';

onEveryStore('what real networks need', (open) => {
  test('a policy with 10,000 role entries and an identity with 1,000 attributes are taken, and one entry too many is not', async () => {
    await using app = await open();
    const roles = Array.from({ length: 10_000 }, (_, i) => `#role-${i}`);
    const roleAttributes = Array.from({ length: 1000 }, (_, i) => `role-${i}`);
    const identity = await app.create('/identities', { name: 'ann', type: 'User', isAdmin: false, roleAttributes });
    const body = { name: 'all', type: 'Dial', semantic: 'AnyOf', identityRoles: roles, serviceRoles: roles };
    const policy = await app.create('/service-policies', body);
    const { data } = (await app.request('GET', `/service-policies/${policy}/identities`)).body;
    assert.deepEqual(
      data.map(({ id }: { id: string }) => id),
      [identity],
    );
    const more = await app.request('POST', '/service-policies', {
      body: { ...body, name: 'more', identityRoles: [...roles, '#one-more'] },
    });
    assert.deepEqual([more.status, more.body.error.cause.field], [400, 'identityRoles']);
  });

  test('callers in process have the same limits as requests', async () => {
    await using app = await open();
    const many = (count: number) => Array.from({ length: count }, () => []);
    const create = (data: object) => app.controller.api.configTypes.create({ body: { name: 'a type', schema: data } });
    for (const schema of [{ enum: many(50_000) }, Object.fromEntries(many(20_001).map((_, i) => [`k${i}`, 1]))])
      await assert.rejects(create(schema), { code: 'COULD_NOT_PARSE_BODY', status: 400 });
  });
});
