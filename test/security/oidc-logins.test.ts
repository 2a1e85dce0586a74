import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type App, onEveryStore, openApp } from '../support/app.ts';
import { enrollMfa, totp } from '../support/mfa.ts';
import {
  authorizeFields,
  begin,
  byPassword,
  claimsOf,
  codeOf,
  get,
  inLocation,
  pkce,
  post,
  redeem,
  tokensIn,
  tokensOf,
} from '../support/oidc.ts';
import { policyBody } from '../support/policies.ts';

/** Where a code would go. */
const whereTo = async (app: App, redirect_uri: string) =>
  (await get(app, '/authorize', authorizeFields(pkce().challenge, { redirect_uri }))).status;

onEveryStore('logins by the provider that must not succeed', (open) => {
  test('a redirect address is compared part by part: what only looks like one on this machine gets no code', async () => {
    await using app = await open();
    for (const address of [
      'https://127.0.0.1:x@evil.example/auth/callback',
      'https://localhost:55.evil.example/auth/callback',
      'https://localhost:80@evil.example/auth/callback',
      'http://127.0.0.1:80#@evil.example/auth/callback',
      'http://127.0.0.1:80\\@evil.example/auth/callback',
      'http://localhost.evil.example:80/auth/callback',
      'http://127.0.0.1:99999/auth/callback',
      'http://127.0.0.1:0/auth/callback',
      'http://127.0.0.1:*/auth/callback',
      'http://127.0.0.1:80/auth/%63allback',
      'http://127.0.0.1:80/x/../auth/callback',
      'http://127.0.0.1/auth/callback',
      'http://127.0.0.1:80/auth/callback?next=https://evil.example',
      'http://127.0.0.1:80//auth/callback',
      'HTTP://127.0.0.1:80/auth/callback',
      'http://[::1]:80/auth/callback',
      'http://2130706433:80/auth/callback',
      'javascript://auth/callback',
    ])
      assert.equal(await whereTo(app, address), 400, address);
    assert.equal(await whereTo(app, 'http://127.0.0.1:65535/auth/callback'), 302);
  });

  test('factors do not add up over identities: a login starts over with its first step', async () => {
    await using app = await open();
    const [ann, bob] = [await app.user(), await app.user()];
    const annsFactor = await enrollMfa(app, await ann.login());
    await enrollMfa(app, await bob.login());
    const login = await begin(app);
    await byPassword(app, login, ann.username);
    assert.equal((await post(app, '/login/totp', { id: login.id, code: annsFactor.code() })).status, 302);
    const code = await codeOf(app, login);
    const { status, body } = await byPassword(app, login, bob.username);
    assert.deepEqual([status, body.authQueries[0].typeId], [200, 'TOTP']);
    const ofProvider = (await app.rows('apiSession')).filter(({ isBearer }) => isBearer);
    assert.deepEqual(
      ofProvider.map(({ identityId }) => identityId),
      [bob.id],
      'the session of the first attempt ends',
    );
    assert.equal(inLocation(await get(app, '/authorize/callback', { id: login.id }), 'error'), 'interaction_required');
    assert.equal((await redeem(app, login, code)).body.error, 'invalid_grant', 'nor do the codes of the identity before');
  });

  test('without a proof key by S256 there is no code: neither plain, nor a challenge that is its own verifier', async () => {
    await using app = await open();
    const { verifier } = pkce();
    for (const fields of [
      { code_challenge: undefined, code_challenge_method: undefined },
      { code_challenge: verifier, code_challenge_method: 'plain' },
      { code_challenge: verifier, code_challenge_method: undefined },
      { code_challenge: '', code_challenge_method: 'S256' },
      { code_challenge_method: 's256' },
      { code_challenge: `${pkce().challenge}A` },
      { code_challenge: pkce().challenge.slice(1) },
    ]) {
      const answer = await get(app, '/authorize', authorizeFields(pkce().challenge, fields));
      assert.equal(inLocation(answer, 'error'), 'invalid_request');
      assert.equal(inLocation(answer, 'authRequestID'), undefined);
    }
  });

  test('a code is of one client, address and verifier, and works once; a second time ends what came of it', async () => {
    await using app = await open();
    const user = await app.user();
    const login = await begin(app);
    await byPassword(app, login, user.username);
    const code = await codeOf(app, login);
    for (const fields of [
      { client_id: 'native' },
      { redirect_uri: 'http://127.0.0.1:1/auth/callback' },
      { code_verifier: pkce().verifier },
    ])
      assert.equal((await redeem(app, login, code, fields)).body.error, 'invalid_grant');
    const tokens = tokensIn(await redeem(app, login, code));
    const other = await begin(app);
    assert.equal((await redeem(app, other, code)).body.error, 'invalid_grant');
    const asSession = () =>
      app.request('GET', '/current-identity', { as: null, headers: { authorization: `Bearer ${tokens.access_token}` } });
    assert.equal((await asSession()).status, 200);
    assert.equal((await redeem(app, login, code)).body.error, 'invalid_grant');
    assert.equal((await asSession()).status, 401);
  });

  test('ten wrong codes of a second factor end the login', async () => {
    await using app = await open({ settings: { maxWrongCodes: 1000 } });
    const user = await app.user();
    const factor = await enrollMfa(app, await user.login());
    const login = await begin(app);
    await byPassword(app, login, user.username);
    const sessions = await app.count('apiSession');
    for (let i = 0; i < 10; i++) assert.equal((await post(app, '/login/totp', { id: login.id, code: factor.wrongCode() })).status, 400);
    assert.equal(await app.count('apiSession'), sessions - 1, 'with its session');
    assert.equal((await post(app, '/login/totp', { id: login.id, code: factor.code() })).status, 400);
    assert.equal((await byPassword(app, login, user.username)).status, 401);
  });

  test('an MFA that was not confirmed does not count as a factor', async () => {
    await using app = await open();
    const authPolicyId = await app.create('/auth-policies', policyBody('two factors', { secondary: { requireTotp: true } }));
    const { username } = await app.user({ authPolicyId });
    const login = await begin(app);
    await byPassword(app, login, username);
    const { provisioningUrl, recoveryCodes } = (await app.request('POST', '/oidc/login/totp/enroll', { as: null, body: { id: login.id } }))
      .body;
    const secret = new URL(provisioningUrl).searchParams.get('secret') ?? '';
    const code = totp(secret, app.clock.now());
    for (const given of [code, recoveryCodes[0]]) assert.equal((await post(app, '/login/totp', { id: login.id, code: given })).status, 400);
    assert.equal((await post(app, '/login/totp/enroll/verify', { id: login.id, code })).status, 302);
    const tokens = tokensIn(await redeem(app, login, await codeOf(app, login)));
    assert.deepEqual(claimsOf(tokens.access_token).amr, ['password', 'totp']);
  });

  test('a disabled identity gets nothing for a code that it was given before, not even once it is enabled again', async () => {
    await using app = await open();
    const user = await app.user();
    const login = await begin(app);
    await byPassword(app, login, user.username);
    const code = await codeOf(app, login);
    await app.request('POST', `/identities/${user.id}/disable`, { body: { durationMinutes: 0 } });
    assert.equal((await redeem(app, login, code)).body.error, 'invalid_grant');
    await app.request('POST', `/identities/${user.id}/enable`);
    assert.equal((await redeem(app, login, code)).body.error, 'invalid_grant');
    await tokensOf(app, user.username);
  });
});

test('a host that does not belong to the controller is not an issuer, and nothing below /oidc answers it', async () => {
  await using app = await openApp('memory');
  for (const host of ['evil.example', '127.0.0.1:1281', '127.0.0.1:1280@evil.example', 'evil.example:1280'])
    assert.equal((await get(app, '/.well-known/openid-configuration', {}, { headers: { host } })).status, 404, host);
  const { body } = await get(app, '/.well-known/openid-configuration', {}, { headers: { host: '127.0.0.1:1280' } });
  assert.equal(body.issuer, 'https://127.0.0.1:1280/oidc');
});
