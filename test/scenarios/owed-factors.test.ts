import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { type App, onEveryStore, PASSWORD } from '../support/app.ts';
import { beginMfa, giveCode } from '../support/mfa.ts';
import { policyBody } from '../support/policies.ts';

const MFA_QUERY = {
  typeId: 'MFA',
  provider: 'ziti',
  httpMethod: 'POST',
  httpUrl: './authenticate/mfa',
  format: 'alphaNumeric',
  minLength: 4,
  maxLength: 6,
  scopes: null,
};

/** Somebody whose policy asks for a second factor, and who has none yet. */
const owing = async (app: App, isAdmin = false) => {
  const authPolicyId = await app.create('/auth-policies', policyBody('two factors', { secondary: { requireTotp: true } }));
  const user = await app.user({ authPolicyId, isAdmin });
  const { data } = (await app.login(user.username, PASSWORD)).body;
  return { ...user, authPolicyId, session: data, as: data.token as string };
};

onEveryStore('factors that are still owed', (open) => {
  test(
    'a login under a policy that requires TOTP shows what is owed, and what it will look like',
    proves(36, 43, 46, 431, 433),
    async () => {
      await using app = await open();
      const { session, as } = await owing(app);
      assert.deepEqual(session.authQueries, [MFA_QUERY]);
      assert.deepEqual([session.isMfaRequired, session.isMfaComplete], [true, false]);
      const { data } = (await app.request('GET', '/current-api-session', { as })).body;
      assert.deepEqual([data.authQueries, data.isMfaRequired, data.isMfaComplete], [[MFA_QUERY], true, false]);
    },
  );

  test('a query for a code says that TOTP is enrolled while it is, and leaves this out otherwise', async () => {
    await using app = await open();
    const { as, username } = await owing(app);
    const asked = async (token: string) => (await app.request('GET', '/current-api-session', { as: token })).body.data.authQueries;
    const factor = await beginMfa(app, as);
    assert.deepEqual(await asked(as), [MFA_QUERY]);
    assert.equal((await app.request('POST', '/current-identity/mfa/verify', { as, body: { code: factor.code() } })).status, 200);
    const { data } = (await app.login(username, PASSWORD)).body;
    assert.deepEqual(data.authQueries, [{ ...MFA_QUERY, isTotpEnrolled: true }]);
    assert.deepEqual(await asked(data.token), [{ ...MFA_QUERY, isTotpEnrolled: true }]);
    assert.equal((await giveCode(app, data.token, factor.code(1))).status, 200);
    assert.deepEqual(await asked(data.token), []);
    await using earlier = await open({ settings: { compat: '1.7' } });
    const other = await owing(earlier);
    const code = (await beginMfa(earlier, other.as)).code();
    await earlier.request('POST', '/current-identity/mfa/verify', { as: other.as, body: { code } });
    assert.deepEqual((await earlier.login(other.username, PASSWORD)).body.data.authQueries, [MFA_QUERY]);
  });

  test('administrators see that a code is required, and no queries of the sessions of others', proves(43), async () => {
    await using app = await open();
    const { session } = await owing(app);
    const { authQueries, isMfaRequired, isMfaComplete } = (await app.request('GET', `/api-sessions/${session.id}`)).body.data;
    assert.deepEqual({ authQueries, isMfaRequired, isMfaComplete }, { authQueries: [], isMfaRequired: true, isMfaComplete: false });
  });
});
