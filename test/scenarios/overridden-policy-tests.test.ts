import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Change } from '../../src/index.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { salesNetwork } from '../support/policy-tests.ts';
import { newHostedStorage } from '../support/stores.ts';

const E = '/edge/management/extensions/v1';
const headers = { 'x-override-policy-tests': 'true', 'x-change-reason': 'incident 7' };

/** A policy by which sales dials the CRM, and two tests that want it. */
const ground = async (app: App) => {
  const { ann, crm, policy } = await salesNetwork(app);
  const { policyTests } = app.controller.api;
  const test = { serviceId: crm, expect: 'dial' } as const;
  const { id: first } = await policyTests.create({ body: { ...test, name: 'ann dials', identityId: ann } });
  const { id: second } = await policyTests.create({ body: { ...test, name: 'sales dials', identityAttributes: ['sales'] } });
  const tests = [
    { id: first, name: 'ann dials' },
    { id: second, name: 'sales dials' },
  ];
  return { ann, crm, policy, tests };
};

onEveryStore('a write that overrides policy tests', (open, store) => {
  test('is recorded with these tests: in the audit, its export, the history, the change log and events', async () => {
    await using app = await open();
    const { policy, tests } = await ground(app);
    const { audit, history, changes } = app.controller.api;
    const events: Change[] = [];
    app.controller.events.on('servicePolicy', (change) => events.push(change));
    const { status } = await app.request('DELETE', `/service-policies/${policy}`, { headers });
    assert.equal(status, 200);
    const overriddenTests = { count: 2, tests };
    const [record, before] = (await audit.list({ kind: 'servicePolicy' })).data;
    assert.deepEqual([record?.overriddenTests, record?.reason, before?.overriddenTests], [overriddenTests, 'incident 7', null]);
    const [entry, first] = (await history.list({ kind: 'servicePolicy', id: policy })).data;
    assert.deepEqual([entry?.overriddenTests, first?.overriddenTests], [overriddenTests, null]);
    const { data } = await changes.list({ kinds: ['servicePolicy'], limit: 500 });
    assert.deepEqual(data.at(-1)?.overriddenTests, overriddenTests);
    assert.deepEqual(
      events.map((event) => event.overriddenTests),
      [overriddenTests],
    );
    const { text } = await app.request('GET', `${E}/audit/export?kind=servicePolicy`);
    assert.deepEqual(JSON.parse(text.trim().split('\n').at(-1) ?? '').overriddenTests, overriddenTests);
    assert.equal((await audit.verify({})).isIntact, true);
  });

  test('has them in each record of a batch, in order, and the chain of the log continues', async () => {
    await using app = await open();
    const { ann, crm, policy, tests } = await ground(app);
    const { audit, batch } = app.controller.api;
    const operations = [
      { operation: 'servicePolicies.delete', input: { id: policy } },
      { operation: 'services.patch', input: { id: crm, body: { name: 'old crm' } } },
      { operation: 'identities.upsert', input: { body: { name: 'ann', externalId: 'e-1' } } },
    ];
    await batch.run({ body: { operations } }, { overrideTests: true, reason: 'incident 7' });
    await app.request('PATCH', `/identities/${ann}`, { body: { externalId: 'e-2' } });
    const { data } = await audit.list({ limit: 4, order: 'newest' });
    assert.deepEqual(
      data.map(({ entity, overriddenTests }) => `${entity} ${overriddenTests?.tests.map(({ name }) => name).join()}`),
      ['identity undefined', 'identity ann dials,sales dials', 'service ann dials,sales dials', 'servicePolicy ann dials,sales dials'],
    );
    assert.deepEqual(data[1]?.overriddenTests?.tests, tests);
    const { isIntact, fault } = await audit.verify({});
    assert.equal(isIntact, true, JSON.stringify(fault));
  });

  test('that breaks none has no tests in its record, and one that is refused leaves no record', async () => {
    await using app = await open();
    const { ann, policy } = await ground(app);
    const { audit, identities, servicePolicies } = app.controller.api;
    await identities.patch({ id: ann, body: { externalId: 'e' } }, { overrideTests: true, reason: 'to be sure' });
    const [record] = (await audit.list({ kind: 'identity' })).data;
    assert.deepEqual([record?.reason, record?.overriddenTests], ['to be sure', null]);
    const revision = record?.revision;
    await assert.rejects(servicePolicies.delete({ id: policy }, { overrideTests: true }), { code: 'COULD_NOT_VALIDATE' });
    assert.equal((await audit.list({})).data[0]?.revision, revision);
    assert.equal((await audit.verify({})).isIntact, true);
  });

  test("is recorded so in a transaction of the host, before its next call's record", async () => {
    const { storage, transaction } = newHostedStorage(store);
    await using app = await open({ storage });
    const { ann, policy, tests } = await ground(app);
    const { audit, identities, servicePolicies } = app.controller.api;
    await transaction(async (host) => {
      await servicePolicies.delete({ id: policy }, { transaction: host, overrideTests: true, reason: 'incident 7' });
      await identities.patch({ id: ann, body: { externalId: 'e' } }, { transaction: host });
    });
    await app.controller.publish();
    const [patched, deleted] = (await audit.list({})).data;
    assert.deepEqual([patched?.overriddenTests, deleted?.overriddenTests], [null, { count: 2, tests }]);
    assert.equal((await audit.verify({})).isIntact, true);
  });

  test('that is refused in a transaction of the host has records, if the host commits it nevertheless', async () => {
    const { storage, transaction } = newHostedStorage(store);
    await using app = await open({ storage });
    const { policy } = await ground(app);
    const { audit, servicePolicies } = app.controller.api;
    await transaction(async (host) => {
      const withoutReason = servicePolicies.delete({ id: policy }, { overrideTests: true, transaction: host });
      await assert.rejects(withoutReason, { code: 'COULD_NOT_VALIDATE' });
    });
    assert.equal(await app.count('servicePolicy'), 0);
    const [record] = (await audit.list({ kind: 'servicePolicy' })).data;
    assert.deepEqual([record?.entityId, record?.action], [policy, 'delete']);
    assert.equal((await audit.verify({})).isIntact, true);
  });
});
