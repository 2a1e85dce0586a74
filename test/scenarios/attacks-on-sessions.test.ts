import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type App, onEveryStore, PASSWORD } from '../support/app.ts';
import { policyBody } from '../support/policies.ts';

const person = (name: string) => ({ name, type: 'User', isAdmin: false }) as const;

/** Ways to end the sessions of somebody. */
type User = Awaited<ReturnType<App['user']>>;
const endings: Readonly<Record<string, (app: App, user: User, as: string) => Promise<unknown>>> = {
  'disabling the identity': (app, { id }) => app.request('POST', `/identities/${id}/disable`, { body: { durationMinutes: 1 } }),
  'deleting the identity': (app, { id }) => app.request('DELETE', `/identities/${id}`),
  'deleting the authenticator': (app, { authenticatorId }) => app.request('DELETE', `/authenticators/${authenticatorId}`),
  'deleting the session': async (app, _user, as) => {
    const [row] = (await app.controller.api.apiSessions.list({ filter: `token = "${as}"` })).data;
    await app.request('DELETE', `/api-sessions/${row?.id}`);
  },
  'logging out': (app, _user, as) => app.request('DELETE', '/current-api-session', { as }),
  'a lockout': (app, { username }) => app.login(username, 'a wrong password'),
};

onEveryStore('attacks on sessions', (open) => {
  for (const [name, end] of Object.entries(endings)) {
    test(`a token opens nothing any more right after ${name}`, async () => {
      await using app = await open();
      const authPolicyId = await app.create(
        '/auth-policies',
        policyBody('strict', { updb: { maxAttempts: 1, lockoutDurationMinutes: 1 } }),
      );
      const user = await app.user({ isAdmin: true, authPolicyId });
      const as = await user.login();
      assert.equal((await app.request('GET', '/identities', { as })).status, 200);
      await end(app, user, as);
      const left = await app.trail(async () => {
        const answers = await Promise.all([
          app.request('GET', '/identities', { as }),
          app.request('GET', '/current-identity', { as }),
          app.request('GET', '/current-api-session', { as }),
          app.request('POST', '/identities', { as, body: person('mallory') }),
          app.request('PATCH', `/identities/${user.id}`, { as, body: { isAdmin: true } }),
          app.request('POST', `/identities/${user.id}/enable`, { as }),
          app.request('GET', '/edge/client/v1/current-identity', { as }),
        ]);
        for (const { status, body } of answers) assert.deepEqual([status, body.error.code], [401, 'UNAUTHORIZED']);
      });
      assert.deepEqual(left, []);
    });
  }

  test('a session cannot raise its own rights, nor change its owner', async () => {
    await using app = await open();
    const user = await app.user();
    const as = await user.login();
    const left = await app.trail(async () => {
      for (const [method, path, body] of [
        ['PATCH', `/identities/${user.id}`, { isAdmin: true }],
        ['PUT', `/identities/${user.id}`, { ...person(user.username), isAdmin: true }],
        ['PATCH', '/current-identity', { isAdmin: true }],
        ['PATCH', '/current-api-session', { identityId: 'x', isMfaComplete: true }],
        ['POST', '/authenticators', { identityId: user.id, method: 'updb', username: 'second', password: PASSWORD }],
        ['POST', '/identities', { ...person('mallory'), isAdmin: true }],
        ['PATCH', '/auth-policies/default', { primary: { updb: { minPasswordLength: 5 } } }],
        ['POST', `/identities/${user.id}/enable`, {}],
      ] as const) {
        assert.ok([401, 405].includes((await app.request(method, path, { as, body })).status), `${method} ${path}`);
      }
    });
    assert.deepEqual(left, []);
    assert.equal((await app.request('GET', '/current-identity', { as })).body.data.isAdmin, false);
  });

  test('the id of a session, a hash of its token and ids of others open nothing', async () => {
    await using app = await open();
    const user = await app.user({ isAdmin: true });
    await user.login();
    const session = (await app.rows('apiSession')).find(({ identityId }) => identityId === user.id);
    for (const as of [session?.id, session?.tokenHash, user.id, user.authenticatorId])
      assert.equal((await app.request('GET', '/identities', { as: String(as) })).status, 401);
  });

  test('logging in and out leaves no sessions behind', async () => {
    await using app = await open();
    const user = await app.user();
    for (let i = 0; i < 25; i++) await app.request('DELETE', '/current-api-session', { as: await user.login() });
    for (let i = 0; i < 25; i++) {
      await user.login();
      app.clock.advance('31m');
    }
    await user.login();
    assert.ok((await app.rows('apiSession')).length <= 2);
  });
});
