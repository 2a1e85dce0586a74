/** Before a second factor is confirmed, its secret belongs to whom began it: a session that has only the password must not learn it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type App, onEveryStore } from '../support/app.ts';
import { beginMfa, giveCode, MFA, mfaStatus, RECOVERY_CODES, totp, userWithSession } from '../support/mfa.ts';
import { bearer, begin, byPassword, post, tokensOf } from '../support/oidc.ts';
import { policyBody } from '../support/policies.ts';
import { assertRefused } from '../support/refusals.ts';

const SECRET = /otpauth|[?&]secret=/;

/** Asserts that a session sees that an enrollment is under way, and nothing else of it. */
const assertSeesNothing = async (app: App, as: string, recoveryCodes: readonly string[]) => {
  const { status, body, text } = await mfaStatus(app, as);
  assert.deepEqual([status, body.data.isVerified, body.data.recoveryCodes], [200, false, null]);
  assert.doesNotMatch(text, SECRET);
  assertRefused(await app.request('GET', `${MFA}/qr-code`, { as }), 404, 'NOT_FOUND');
  const codes = await app.request('GET', RECOVERY_CODES, { as });
  for (const code of recoveryCodes) assert.ok(!codes.text.includes(code) && !text.includes(code));
};

onEveryStore('a second factor that is being set up', (open) => {
  for (const required of [false, true])
    test(`on a login page is not seen by a session with the password (TOTP required: ${required})`, async () => {
      await using app = await open();
      const authPolicyId = await app.create('/auth-policies', policyBody('strict', { secondary: { requireTotp: true } }));
      const ann = await app.user({ authPolicyId });
      const login = await begin(app);
      await byPassword(app, login, ann.username);
      const { provisioningUrl, recoveryCodes } = (await post(app, '/login/totp/enroll', { id: login.id })).body;
      if (!required) await app.request('PATCH', `/identities/${ann.id}`, { body: { authPolicyId: 'default' } });
      await assertSeesNothing(app, await ann.login(), recoveryCodes);
      const secret = new URL(provisioningUrl).searchParams.get('secret') ?? '';
      const confirmed = await post(app, '/login/totp/enroll/verify', { id: login.id, code: totp(secret, app.clock.now()) });
      assert.equal(confirmed.status, 302, confirmed.text);
    });

  test('in one session is not seen by another, with a token or without, and its own session confirms it', async () => {
    await using app = await open();
    const { as, login, username } = await userWithSession(app);
    const other = await login();
    const { access_token } = await tokensOf(app, username);
    const { code, recoveryCodes } = await beginMfa(app, as);
    await assertSeesNothing(app, other, recoveryCodes);
    const byToken = await app.request('GET', MFA, { as: null, headers: bearer(access_token) });
    assert.equal(byToken.status, 200);
    assert.doesNotMatch(byToken.text, SECRET);
    assert.match((await mfaStatus(app, as)).text, SECRET);
    assert.equal((await app.request('POST', `${MFA}/verify`, { as, body: { code: code() } })).status, 200);
    assert.equal((await giveCode(app, await login(), code())).status, 200);
  });

  test('by a thief of the password is not shown to the owner, who discards it and begins again', async () => {
    await using app = await open();
    const { as, login } = await userWithSession(app);
    const thief = await beginMfa(app, await login());
    await assertSeesNothing(app, as, thief.recoveryCodes);
    assert.equal((await app.request('DELETE', MFA, { as })).status, 200);
    const own = await beginMfa(app, as);
    assert.notEqual(own.secret, thief.secret);
  });

  test('with a token of the provider is seen with the tokens of that login', async () => {
    await using app = await open();
    const { username } = await app.user();
    const { access_token } = await tokensOf(app, username);
    const ask = (method: string) => app.request(method, MFA, { as: null, headers: bearer(access_token) });
    assert.equal((await ask('POST')).status, 201);
    assert.match((await ask('GET')).text, SECRET);
  });

  test('is not seen by the host that acts as the identity, which has no session', async () => {
    await using app = await open();
    const { as, id } = await userWithSession(app);
    await beginMfa(app, as);
    const { currentMfa } = app.controller.asIdentity(id);
    const { isVerified, recoveryCodes, provisioningUrl } = await currentMfa.get({});
    assert.deepEqual([isVerified, recoveryCodes, provisioningUrl], [false, null, undefined]);
    await assert.rejects(currentMfa.getQrCode({}), { code: 'NOT_FOUND' });
  });
});
