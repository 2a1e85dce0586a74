import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, previewing } from '../../src/index.ts';
import { onEveryStore } from '../support/app.ts';
import { testedNetwork } from '../support/policy-tests.ts';

const E = '/edge/management/extensions/v1';

const breaks =
  (...names: readonly string[]) =>
  (error: unknown) => {
    assert.ok(error instanceof ApiError && error.code === 'POLICY_TESTS_BROKEN', String(error));
    assert.equal(error.status, 409);
    assert.deepEqual(
      error.cause.brokenTests.map(({ name }) => name),
      names,
    );
    return true;
  };

onEveryStore('policy tests', (open) => {
  test('a write that breaks one is refused with the list, whichever entity it changes', async () => {
    await using app = await open();
    const { ann, crm, policy } = await testedNetwork(app);
    const { identities, services, servicePolicies, policyTests, batch } = app.controller.api;
    await assert.rejects(
      servicePolicies.patch({ id: policy, body: { identityRoles: ['#support'] } }),
      breaks('ann dials', 'support does not'),
    );
    await assert.rejects(identities.patch({ id: ann, body: { roleAttributes: [] } }), breaks('ann dials'));
    await assert.rejects(services.delete({ id: crm }), breaks('ann dials'));
    await assert.rejects(policyTests.create({ body: { name: 'wrong', identityId: ann, serviceId: crm, expect: 'bind' } }), breaks('wrong'));
    const answer = await app.request('DELETE', `/service-policies/${policy}`);
    assert.deepEqual([answer.status, answer.body.error.cause.brokenCount], [409, 1]);
    const operations = [
      { operation: 'servicePolicies.delete', input: { id: policy } },
      {
        operation: 'servicePolicies.create',
        input: { body: { name: 'new', type: 'Dial', semantic: 'AnyOf', identityRoles: [`@${ann}`], serviceRoles: [`@${crm}`] } },
      },
    ];
    await batch.run({ body: { operations } });
    assert.equal((await servicePolicies.list({ filter: 'name = "new"' })).data.length, 1);
  });

  test('an administrator overrides them with a reason, which is recorded; they are then in the way of no other write', async () => {
    await using app = await open();
    const { ann, policy } = await testedNetwork(app);
    const { servicePolicies, identities, changes } = app.controller.api;
    await assert.rejects(servicePolicies.delete({ id: policy }, { overrideTests: true }), { code: 'COULD_NOT_VALIDATE' });
    const as = await (await app.user({ permissions: ['service-policy'] })).login();
    const headers = { 'x-override-policy-tests': 'true', 'x-change-reason': 'incident 7' };
    const refused = await app.request('DELETE', `/service-policies/${policy}`, { as, headers });
    assert.equal(refused.status, 401, refused.text);
    const unknown = await app.request('DELETE', `/service-policies/${policy}`, { as });
    assert.deepEqual([unknown.status, unknown.body.error.cause.brokenTests], [409, []]);
    assert.equal((await app.request('DELETE', `/service-policies/${policy}`, { headers })).status, 200);
    const { data } = await changes.list({ kinds: ['servicePolicy'], limit: 500 });
    assert.equal(data.find(({ action }) => action === 'delete')?.reason, 'incident 7');
    await identities.patch({ id: ann, body: { roleAttributes: ['sales', 'more'] } });
  });

  test('a preview of a write that overrides them shows which tests would fail', async () => {
    await using app = await open();
    const { policy } = await testedNetwork(app);
    const override = { overrideTests: true, reason: 'incident 7' } as const;
    const { access } = await previewing(app.controller.api).servicePolicies.delete({ id: policy }, override);
    assert.deepEqual(
      access?.brokenTests.map(({ name }) => name),
      ['ann dials'],
    );
  });

  test('what they say is checked, and only administrators write them', async () => {
    await using app = await open();
    const { ann, crm } = await testedNetwork(app);
    const create = (body: object) =>
      app.request('POST', `${E}/policy-tests`, { body: { name: 'x', serviceId: crm, expect: 'none', ...body } });
    assert.equal((await create({ identityId: ann, identityAttributes: ['a'] })).body.error.cause.field, 'identityAttributes');
    assert.equal((await create({ identityId: 'nobody' })).body.error.cause.field, 'identityId');
    assert.equal((await create({ serviceId: 'nothing' })).body.error.cause.field, 'serviceId');
    assert.equal((await create({ expect: 'all' })).status, 400);
    const as = await (await app.user({ permissions: ['service-policy', 'identity', 'service'] })).login();
    assert.equal((await app.request('GET', `${E}/policy-tests`, { as })).status, 401);
  });
});
