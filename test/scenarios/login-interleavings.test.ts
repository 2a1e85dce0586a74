import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type App, onEveryStore, PASSWORD } from '../support/app.ts';
import { interleaved } from '../support/interleaving.ts';
import { policyBody } from '../support/policies.ts';
import { newStorage } from '../support/stores.ts';

const NEW_PASSWORD = 'An0ther-Passw0rd!';

type User = Awaited<ReturnType<App['user']>>;

/** What can happen after a password was compared with the hash that was read, and before the login is written. */
const meanwhiles: Readonly<Record<string, (app: App, user: User) => Promise<{ readonly status: number }>>> = {
  'the password is changed': (app, { authenticatorId, username }) =>
    app.request('PUT', `/authenticators/${authenticatorId}`, { body: { username, password: NEW_PASSWORD } }),
  'the identity is disabled': (app, { id }) => app.request('POST', `/identities/${id}/disable`, { body: { durationMinutes: 0 } }),
  'its policy allows no passwords any more': (app, { authPolicyId }: User & { authPolicyId?: string }) =>
    app.request('PATCH', `/auth-policies/${authPolicyId}`, { body: { primary: { updb: { allowed: false } } } }),
  'the identity is deleted': (app, { id }) => app.request('DELETE', `/identities/${id}`),
};

onEveryStore('a login by password while something else changes', (open, store) => {
  const ground = async () => {
    const { storage, beforeWrite } = interleaved(newStorage(store));
    const app = await open({ storage });
    const updb = { maxAttempts: 2, lockoutDurationMinutes: 10 };
    const authPolicyId = await app.create('/auth-policies', policyBody('of users', { updb }));
    return { app, beforeWrite, user: { ...(await app.user({ authPolicyId })), authPolicyId } };
  };

  for (const [what, meanwhile] of Object.entries(meanwhiles))
    test(`the right password of before is wrong once ${what}`, async () => {
      const { app, beforeWrite, user } = await ground();
      await using _ = app;
      let status = 0;
      beforeWrite(async () => {
        ({ status } = await meanwhile(app, user));
      });
      assert.equal((await app.login(user.username, PASSWORD)).status, 401);
      assert.equal(status, 200);
      assert.equal((await app.rows('apiSession')).filter(({ identityId }) => identityId === user.id).length, 0);
    });

  test('a wrong password that was compared with an old one counts for none', async () => {
    const { app, beforeWrite, user } = await ground();
    await using _ = app;
    assert.equal((await app.login(user.username, 'a wrong one')).status, 401);
    beforeWrite(() =>
      app.request('PUT', `/authenticators/${user.authenticatorId}`, { body: { username: user.username, password: NEW_PASSWORD } }),
    );
    assert.equal((await app.login(user.username, 'a wrong one')).status, 401);
    // With a count of its own it would be locked out by the next one.
    assert.equal((await app.login(user.username, 'a wrong one')).status, 401);
    assert.equal((await app.login(user.username, NEW_PASSWORD)).status, 200);
  });
});
