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

  test('who is demoted writes nothing after that, however the calls interleave', async () => {
    await using app = await open();
    for (let round = 0; round < 30; round++) {
      const user = await app.user({ isAdmin: true });
      const as = await user.login();
      // Some writes are under way already, some start in the same tick, some in those that follow.
      const early = [0, 1].map((i) => app.request('POST', '/identities', { as, body: person(`early ${round} ${i}`) }));
      const demotion = app.request('PATCH', `/identities/${user.id}`, { body: { isAdmin: false } });
      const late = [0, 1, 2].map(async (i) => {
        for (let tick = 0; tick < i * round; tick++) await Promise.resolve();
        return app.request('POST', '/identities', { as, body: person(`late ${round} ${i}`) });
      });
      await Promise.all([...early, demotion, ...late]);
      const changes = await app.rows('change');
      const demoted = changes.findIndex(
        ({ entityId, action, after }) => entityId === user.id && action === 'update' && (after as { isAdmin: boolean }).isAdmin === false,
      );
      assert.ok(demoted >= 0);
      assert.deepEqual(
        changes.slice(demoted + 1).filter(({ actor }) => actor === user.id),
        [],
        `round ${round}`,
      );
    }
  });

  test('who is disabled, deleted or made to owe a factor while a write is under way writes nothing after that', async () => {
    for (const revoke of ['disable', 'delete', 'requireTotp'] as const) {
      await using app = await open();
      const authPolicyId = await app.create('/auth-policies', policyBody('strict'));
      const user = await app.user({ isAdmin: true, authPolicyId });
      const as = await user.login();
      const revocation = {
        disable: () => app.request('POST', `/identities/${user.id}/disable`, { body: { durationMinutes: 1 } }),
        delete: () => app.request('DELETE', `/identities/${user.id}`),
        requireTotp: () => app.request('PATCH', `/auth-policies/${authPolicyId}`, { body: { secondary: { requireTotp: true } } }),
      }[revoke]();
      const writes = Array.from({ length: 20 }, (_, i) => app.request('POST', '/identities', { as, body: person(`written ${i}`) }));
      await Promise.all([revocation, ...writes]);
      const changes = await app.rows('change');
      const revoked = changes.findLastIndex(
        ({ actor, entityId }) => actor !== user.id && [user.id, authPolicyId].includes(String(entityId)),
      );
      assert.deepEqual(
        changes.slice(revoked + 1).filter(({ actor }) => actor === user.id),
        [],
        revoke,
      );
    }
  });

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
