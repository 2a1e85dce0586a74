import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { previewing } from '../../src/index.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { refusal } from '../support/client.ts';
import { until } from '../support/until.ts';

const minutesFromNow = (app: App, minutes: number) => new Date(app.clock.now() + minutes * 60_000).toISOString();

/** Lets what follows an answer, and what is due, happen. */
const rest = (app: App) => async () => {
  for (let i = 0; i < 20; i++) {
    await setImmediate();
    await app.settled();
  }
};

onEveryStore('a batch with the revision of a preview', (open) => {
  const operations = [{ operation: 'services.create', input: { body: { name: 'wiki', encryptionRequired: true } } }];

  test('is carried out after what does not change the configuration: announced ends, logins, refused attempts', async () => {
    await using app = await open({ settings: { expiryNoticeMinutes: 10, sessionTimeoutMinutes: 600 } });
    const { api } = app.controller;
    const validUntil = minutesFromNow(app, 60);
    await app.user({ roleAttributeGrants: { contractor: { validUntil } } });
    const body = { type: 'Dial', semantic: 'AnyOf', identityRoles: ['#all'], serviceRoles: ['#all'] } as const;
    await api.servicePolicies.create({ body: { ...body, name: 'for an hour', validUntil } });
    const ann = await app.user();
    const { revision } = await previewing(api).batch.run({ body: { operations } });

    await app.clock.advanceInSteps('50m', rest(app));
    const written = async () => (await api.audit.list({ filter: `revision > ${revision}` })).data;
    await until(async () => (await written()).filter(({ reason }) => reason === 'expiring').length === 2);
    const as = await ann.login();
    assert.equal((await app.request('DELETE', `/identities/${ann.id}`, { as })).status, 401);
    const since = await written();
    assert.ok(since.some(({ entity }) => entity === 'apiSession') && since.some(({ entity }) => entity === 'securityEvent'));
    await api.batch.run({ body: { operations, ifRevision: revision } });
  });

  test('is refused after a change of the configuration, and after the end of a grant', async () => {
    await using app = await open({ settings: { expiryNoticeMinutes: 0, sessionTimeoutMinutes: 600 } });
    const { api } = app.controller;
    const { id } = await app.user({ roleAttributeGrants: { contractor: { validUntil: minutesFromNow(app, 60) } } });
    const changes: readonly (() => Promise<unknown>)[] = [
      () => api.services.create({ body: { name: 'crm', encryptionRequired: true } }),
      () => api.identities.disable({ id, body: { durationMinutes: 0 } }),
      () => api.identities.patch({ id, body: { tags: { team: 'a' } } }),
      () => api.enrollments.create({ body: { identityId: id, method: 'ott', expiresAt: minutesFromNow(app, 60) } }),
      () => app.clock.advanceInSteps('61m', rest(app)),
    ];
    for (const change of changes) {
      const { revision } = await previewing(api).batch.run({ body: { operations } });
      await change();
      await assert.rejects(api.batch.run({ body: { operations, ifRevision: revision } }), refusal(412, 'PRECONDITION_FAILED'));
    }
    const { revision } = await previewing(api).batch.run({ body: { operations } });
    await assert.rejects(api.batch.run({ body: { operations, ifRevision: revision + 1 } }), refusal(412, 'PRECONDITION_FAILED'));
    await api.batch.run({ body: { operations, ifRevision: revision } });
  });

  test('is refused if records since then have left the log', async () => {
    await using app = await open({ settings: { changesKept: 100 } });
    const { api } = app.controller;
    const users = [await app.user(), await app.user()];
    const { revision } = await previewing(api).batch.run({ body: { operations } });
    for (const user of users.flatMap((each) => Array.from({ length: 30 }, () => each))) {
      const as = await user.login();
      await app.request('DELETE', '/current-api-session', { as });
    }
    await assert.rejects(api.batch.run({ body: { operations, ifRevision: revision } }), refusal(412, 'PRECONDITION_FAILED'));
  });
});
