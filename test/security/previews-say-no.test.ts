import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, previewing } from '../../src/index.ts';
import { allRows } from '../support/all-rows.ts';
import { onEveryStore } from '../support/app.ts';
import { salesNetwork, testedNetwork } from '../support/policy-tests.ts';
import { newTenant, onEveryTenantStore, openTenants } from '../support/tenants.ts';

const DRY_RUN = { prefer: 'dry-run' };

/** The error of a call, as far as a client sees it. */
const refusalOf = async (call: Promise<unknown>) => {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof ApiError, String(error));
  return { code: error.code, status: error.status, cause: error.cause };
};

onEveryStore('a preview of a write that would be refused', (open) => {
  test('is refused as the write is, if it breaks a policy test, also without a report of access', async () => {
    await using app = await open();
    const { policy } = await testedNetwork(app);
    const { api } = app.controller;
    const refused = await refusalOf(api.servicePolicies.delete({ id: policy }));
    assert.equal(refused.code, 'POLICY_TESTS_BROKEN');
    assert.deepEqual(await refusalOf(previewing(api).servicePolicies.delete({ id: policy })), refused);
    const operations = [{ operation: 'servicePolicies.delete', input: { id: policy } }];
    assert.deepEqual(await refusalOf(previewing(api).batch.run({ body: { operations } })), refused);
    const as = await (await app.user({ permissions: ['service-policy'] })).login();
    for (const headers of [{}, DRY_RUN]) {
      const { status, body } = await app.request('DELETE', `/service-policies/${policy}`, { as, headers });
      assert.deepEqual([status, body.error.code], [409, 'POLICY_TESTS_BROKEN']);
    }
    const overridden = await previewing(api).servicePolicies.delete({ id: policy }, { overrideTests: true, reason: 'incident 7' });
    assert.deepEqual(
      overridden.access?.brokenTests.map(({ name }) => name),
      ['ann dials'],
    );
    assert.equal(
      (await refusalOf(previewing(api).servicePolicies.delete({ id: policy }, { overrideTests: true }))).code,
      'COULD_NOT_VALIDATE',
    );
    const report = await api.access.preview({ body: { operations } });
    assert.equal(report.counts.brokenTests, 1);
  });

  test('is refused as the write is, if it takes away more than its author expects', async () => {
    await using app = await open();
    const { policy } = await salesNetwork(app);
    const { servicePolicies } = app.controller.api;
    const before = await allRows(app);
    const refused = await refusalOf(servicePolicies.delete({ id: policy }, { maxLost: 0 }));
    assert.equal(refused.code, 'ACCESS_LOST');
    assert.deepEqual(await refusalOf(servicePolicies.delete({ id: policy }, { maxLost: 0, preview: true })), refused);
    const answer = await app.request('DELETE', `/service-policies/${policy}`, { headers: { ...DRY_RUN, 'x-max-lost': '0' } });
    assert.deepEqual([answer.status, answer.body.error.cause.lostCount], [409, 1]);
    assert.deepEqual(await allRows(app), before);
  });

  test('leaves a record of the attempt, as the write does', async () => {
    await using app = await open();
    const user = await app.user();
    const as = await user.login();
    const body = { name: 'wiki', encryptionRequired: true };
    assert.equal((await app.request('POST', '/services', { as, body, headers: DRY_RUN })).status, 401);
    const { data } = await app.controller.api.audit.list({ kind: 'securityEvent' });
    assert.deepEqual(
      data.map(({ actor, operation, origin }) => [actor, operation, origin]),
      [[user.id, 'services.create', 'http']],
    );
  });
});

onEveryTenantStore('a preview in a tenant', (newDatabase) => {
  test('is refused as the write is, if the entities would be too many or too large', async () => {
    await using database = newDatabase();
    await using app = await openTenants(database);
    const acme = await newTenant(app.overlays, 'acme');
    const ann = { name: 'ann', type: 'User', isAdmin: false } as const;
    const id = await acme.create('/identities', ann);
    const { storageBytes, identities } = await app.overlays.usage('acme');
    const tags = { note: 'x'.repeat(3000) };
    await app.overlays.setQuotas('acme', { storageBytes, identities });
    for (const [method, path, body] of [
      ['PATCH', `/identities/${id}`, { tags }],
      ['POST', '/identities', { ...ann, name: 'ben' }],
      ['POST', '/services', { name: 'wiki', encryptionRequired: true }],
    ] as const) {
      const written = await acme.request(method, path, { body });
      const previewed = await acme.request(method, path, { body, headers: DRY_RUN });
      assert.deepEqual([written.status, written.body.error.code], [409, 'QUOTA_EXCEEDED']);
      assert.deepEqual([previewed.status, previewed.body.error.cause], [written.status, written.body.error.cause]);
    }
    assert.equal((await acme.request('PATCH', `/identities/${id}`, { body: { tags: {} }, headers: DRY_RUN })).status, 200);
    assert.equal((await app.overlays.usage('acme')).storageBytes, storageBytes);
  });
});
