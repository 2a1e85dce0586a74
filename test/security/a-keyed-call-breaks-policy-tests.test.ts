import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryStore } from '../support/app.ts';

onEveryStore('calls with an idempotency key', (open) => {
  const ground = async (app: Awaited<ReturnType<typeof open>>) => {
    const { api } = app.controller;
    const ann = await api.identities.create({ body: { name: 'ann', type: 'User', isAdmin: false } });
    const wiki = await api.services.create({ body: { name: 'wiki', encryptionRequired: true } });
    const policy = await api.servicePolicies.create({
      body: { name: 'reads', type: 'Dial', semantic: 'AnyOf', identityRoles: [`@${ann.id}`], serviceRoles: [`@${wiki.id}`] },
    });
    return { api, ann, wiki, operations: [{ operation: 'servicePolicies.delete', input: { id: policy.id } }] };
  };

  test('are refused if they take away more than maxLost', async () => {
    await using app = await open();
    const { api, operations } = await ground(app);
    await assert.rejects(api.batch.run({ body: { operations } }, { maxLost: 0 }), { code: 'ACCESS_LOST' });
    await assert.rejects(api.batch.run({ body: { operations } }, { maxLost: 0, idempotencyKey: 'a-key' }), { code: 'ACCESS_LOST' });
  });

  test('are refused if they break a policy test', async () => {
    await using app = await open();
    const { api, ann, wiki, operations } = await ground(app);
    await api.policyTests.create({ body: { name: 'ann dials', identityId: ann.id, serviceId: wiki.id, expect: 'dial' } });
    await assert.rejects(api.batch.run({ body: { operations } }), { code: 'POLICY_TESTS_BROKEN' });
    await assert.rejects(api.batch.run({ body: { operations } }, { idempotencyKey: 'a-key' }), { code: 'POLICY_TESTS_BROKEN' });
  });
});
