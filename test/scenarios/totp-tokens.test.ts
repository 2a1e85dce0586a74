import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLocalJWKSet, type JWTPayload, jwtVerify } from 'jose';
import { type App, onEveryStore } from '../support/app.ts';
import { enrollMfa } from '../support/mfa.ts';
import { claimsOf, get, lives, refresh, tokensOf, withToken } from '../support/oidc.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';

const CLIENT = '/edge/client/v1';

const ask = (app: App, token: string, body: unknown, api = CLIENT) =>
  withToken(app, token, `${api}/current-api-session/totp-token`, { method: 'POST', body });

onEveryStore('a proof of the second factor for elsewhere', (open) => {
  test('a code gives a signed token that names the session, on either API', async () => {
    await using app = await open();
    const user = await app.user();
    const { access_token } = await tokensOf(app, user.username);
    const { code } = await enrollMfa(app, await user.login());
    const { z_asid } = claimsOf(access_token);
    const ids = new Set<string>();
    for (const api of [CLIENT, '']) {
      const { status, body } = await ask(app, access_token, { code: code() }, api);
      assert.deepEqual([status, body.data.issuedAt], [200, new Date(app.clock.now()).toISOString()]);
      const keys = createLocalJWKSet((await get(app, '/keys')).body);
      const { payload } = await jwtVerify<JWTPayload>(body.data.token, keys, { currentDate: new Date(app.clock.now()) });
      const { jti, ...claims } = payload;
      ids.add(jti ?? '');
      const iat = app.clock.now() / 1000;
      assert.deepEqual(claims, { iss: 'https://127.0.0.1:1280', sub: user.id, aud: ['openziti'], iat, z_asid, z_t: 't' });
    }
    assert.equal(ids.size, 2);
  });

  test('it takes a code of the app: neither a wrong one, nor a recovery code, nor none, nor one of somebody without MFA', async () => {
    await using app = await open();
    const [ann, bob] = [await app.user(), await app.user()];
    const [anns, bobs] = [await tokensOf(app, ann.username), await tokensOf(app, bob.username)];
    const factor = await enrollMfa(app, await ann.login());
    for (const code of [factor.wrongCode(), factor.recoveryCodes[0]])
      assertRefused(await ask(app, anns.access_token, { code }), 400, 'MFA_INVALID_TOKEN');
    assertInvalid(await ask(app, anns.access_token, {}), 'code');
    assertRefused(await ask(app, bobs.access_token, { code: factor.code() }), 409, 'MFA_NOT_ENROLLED');
    const proved = await ask(app, anns.access_token, { code: factor.code() });
    assert.equal(proved.status, 200, 'the recovery code is not spent, nor is the login over');
  });

  test('it is not a credential: not of a session, not of a refresh, not of who asks who it is', async () => {
    await using app = await open();
    const user = await app.user();
    const { access_token } = await tokensOf(app, user.username);
    const { code } = await enrollMfa(app, await user.login());
    const { token } = (await ask(app, access_token, { code: code() })).body.data;
    assert.equal(await lives(app, token), false);
    assert.equal((await get(app, '/userinfo', {}, { headers: { authorization: `Bearer ${token}` } })).status, 401);
    assert.equal((await refresh(app, token)).body.error, 'invalid_grant');
    assert.equal((await get(app, '/end_session', { id_token_hint: token })).body.error, 'invalid_request');
  });
});
