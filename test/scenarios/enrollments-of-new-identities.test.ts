import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { onEveryStore } from '../support/app.ts';
import { enrollmentsOf, readEnrollment, toEnroll } from '../support/enrolling.ts';
import { aPerson } from '../support/identities.ts';

onEveryStore('enrollments of new identities', (open) => {
  test(
    'an identity is created with an enrollment by the first of ott and updb that is asked for, for three hours',
    proves(114, 116, 117, 402, 470),
    async () => {
      await using app = await open();
      const { identityId, enrollment } = await toEnroll(app, { ott: true, updb: 'annie' });
      assert.equal(enrollment.expiresAt, '2026-11-21T13:00:00.000Z');
      const { id, token, jwt, expiresAt } = await readEnrollment(app, enrollment.id);
      assert.deepEqual(await enrollmentsOf(app, identityId), { ott: { id, token, jwt, expiresAt } });
      const { identityId: annie, enrollment: updb } = await toEnroll(app, { updb: 'annie' });
      const { username, ...own } = await readEnrollment(app, updb.id);
      assert.equal(username, 'annie');
      assert.deepEqual(await enrollmentsOf(app, annie), {
        updb: { id: own.id, token: own.token, jwt: own.jwt, expiresAt: '2026-11-21T13:00:00.000Z' },
      });
      const { data } = (await app.request('GET', `/identities/${identityId}/enrollments`)).body;
      assert.deepEqual(data, [await readEnrollment(app, enrollment.id)]);
      for (const none of [{}, { ott: false }, null]) {
        const without = await app.create('/identities', {
          name: `none ${JSON.stringify(none)}`,
          type: 'User',
          isAdmin: false,
          enrollment: none,
        });
        assert.deepEqual(await enrollmentsOf(app, without), {});
      }
    },
  );

  test('how long the enrollment of a new identity lasts can be set', proves(470), async () => {
    await using app = await open({ settings: { enrollmentMinutes: 5 } });
    assert.equal((await toEnroll(app)).enrollment.expiresAt, '2026-11-21T10:05:00.000Z');
    await assert.rejects(open({ settings: { enrollmentMinutes: 4 } }), TypeError);
  });

  test('an enrollment in a replace or a patch of an identity has no effect', proves(118), async () => {
    await using app = await open();
    const id = await aPerson(app);
    const body = { name: 'ann', type: 'User', isAdmin: false, enrollment: { ott: true } };
    await app.request('PUT', `/identities/${id}`, { body });
    await app.request('PATCH', `/identities/${id}`, { body });
    assert.deepEqual(await enrollmentsOf(app, id), {});
  });
});
