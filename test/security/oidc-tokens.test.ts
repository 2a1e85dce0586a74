import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryStore } from '../support/app.ts';
import { aCertificate } from '../support/certificates.ts';
import {
  basic,
  bearer,
  begin,
  byPassword,
  certificateTokens,
  claimsOf,
  codeOf,
  exchange,
  forRefresh,
  get,
  lives,
  post,
  redeem,
  refresh,
  TYPE,
  tokensIn,
  tokensOf,
  withToken,
} from '../support/oidc.ts';
import { party } from '../support/pki.ts';
import { policyBody } from '../support/policies.ts';

onEveryStore('tokens of the provider that must be dead', (open) => {
  test('a revocation is looked at on every request: of a token, of its session, of its identity', async () => {
    await using app = await open();
    const user = await app.user();
    const a = await tokensOf(app, user.username);
    await post(app, '/revoke', { client_id: 'openziti', token: a.access_token });
    assert.equal(await lives(app, a.access_token), false);
    const renewed = tokensIn(await refresh(app, a.refresh_token));
    assert.ok(await lives(app, renewed.access_token), 'the session goes on');
    await post(app, '/revoke', { client_id: 'openziti', token: renewed.refresh_token });
    assert.equal(await lives(app, renewed.access_token), false, 'a refresh token takes its session along');

    const byAdministrator = async (type: string, idOf: (token: string) => string) => {
      const tokens = await tokensOf(app, user.username);
      await app.create('/revocations', { type, id: idOf(tokens.access_token) });
      return tokens;
    };
    const session = await byAdministrator('API_SESSION', (token) => claimsOf(token).z_asid);
    const identity = await byAdministrator('IDENTITY', () => user.id);
    for (const { access_token, refresh_token } of [session, identity]) {
      assert.equal(await lives(app, access_token), false);
      assert.equal((await refresh(app, refresh_token)).body.error, 'invalid_grant');
      assert.equal((await get(app, '/userinfo', {}, { headers: bearer(access_token) })).status, 401);
    }
    const single = await byAdministrator('JTI', (token) => claimsOf(token).jti);
    assert.equal(await lives(app, single.access_token), false);
    assert.equal((await refresh(app, single.refresh_token)).status, 200);
  });

  test('a revocation is shown until it ends, and not at that time', async () => {
    await using app = await open();
    const { revocations } = app.controller.api;
    const { id } = await app.user();
    await app.create('/revocations', { type: 'IDENTITY', id });
    const { expiresAt } = await revocations.get({ id });
    const listed = async () => (await revocations.list()).pagination.totalCount;
    app.clock.suspend(`${Date.parse(expiresAt ?? '') - app.clock.now() - 1}ms`);
    assert.deepEqual([await listed(), (await revocations.get({ id })).id], [1, id]);
    app.clock.suspend('1ms');
    assert.equal(await listed(), 0);
    await assert.rejects(revocations.get({ id }), { code: 'NOT_FOUND' });
  });

  test('the end of an identity, of its authenticator, and its being disabled end its tokens, and enabling brings none back', async () => {
    await using app = await open();
    const [gone, shut, bare] = [await app.user(), await app.user(), await app.user()];
    const tokens = await Promise.all([gone, shut, bare].map(({ username }) => tokensOf(app, username)));
    await app.request('DELETE', `/identities/${gone.id}`);
    await app.request('POST', `/identities/${shut.id}/disable`, { body: { durationMinutes: 0 } });
    await app.request('POST', `/identities/${shut.id}/enable`);
    await app.request('DELETE', `/authenticators/${bare.authenticatorId}`);
    for (const { access_token, refresh_token } of tokens) {
      assert.equal(await lives(app, access_token), false);
      assert.equal((await refresh(app, refresh_token)).body.error, 'invalid_grant');
    }
  });

  test('a spent refresh token is not exchanged, and a short-lived token does not prolong itself', async () => {
    await using app = await open();
    const { username } = await app.user();
    const first = await tokensOf(app, username);
    const next = tokensIn(await refresh(app, first.refresh_token));
    assert.equal((await exchange(app, forRefresh(first.refresh_token))).body.error, 'invalid_grant');
    const prolonged = await exchange(app, {
      subject_token: next.access_token,
      subject_token_type: `${TYPE}access_token`,
      requested_token_type: `${TYPE}refresh_token`,
    });
    assert.equal(prolonged.status, 400);
    assert.ok(await lives(app, next.access_token), 'giving a spent one again does no harm to its successors');
    const exchanged = tokensIn(await exchange(app, forRefresh(next.refresh_token)));
    assert.deepEqual(claimsOf(exchanged.access_token).scopes, ['openid', 'offline_access'], 'nothing is lost');
    assert.equal((await refresh(app, next.refresh_token)).status, 200, 'an exchange spends nothing');
  });

  test('a token that is bound to a certificate is good with that certificate only', async () => {
    await using app = await open();
    const { certificates } = await aCertificate(app);
    const stranger = [(await party('stranger')).certificate.der];
    const tokens = await certificateTokens(app, certificates);
    assert.equal((await withToken(app, tokens.access_token, '/current-identity', { certificates })).status, 200);
    const asOwner = (peerCertificates?: readonly Uint8Array[]) =>
      app.controller.as(tokens.access_token, peerCertificates ? { peerCertificates } : {}).currentIdentity.get();
    assert.ok((await asOwner(certificates)).id, 'the host hands on what its client has proved');
    for (const others of [undefined, [], stranger]) await assert.rejects(asOwner(others), { code: 'UNAUTHORIZED' });
    for (const presented of [{}, { certificates: stranger }]) {
      assert.equal((await withToken(app, tokens.access_token, '/current-identity', presented)).status, 401);
      assert.equal((await refresh(app, tokens.refresh_token, {}, presented)).body.error, 'access_denied');
    }
    const renewed = tokensIn(await refresh(app, tokens.refresh_token, {}, { certificates }));
    assert.equal(await lives(app, renewed.access_token), false, 'and so are its successors');
  });

  test('tokens of one client are of no use to another', async () => {
    const clients = [{ id: 'shop', redirectUris: ['https://shop.example/callback'] }];
    await using app = await open({ oidc: { clients } });
    const { username } = await app.user({ isAdmin: true });
    const ours = await tokensOf(app, username);
    assert.equal((await refresh(app, ours.refresh_token, { client_id: 'native' })).body.error, 'invalid_grant');
    await post(app, '/revoke', { client_id: 'native', token: ours.refresh_token });
    assert.ok(await lives(app, ours.access_token), 'nor does another revoke them');
    const asked = await post(app, '/oauth/introspect', { token: ours.access_token }, { headers: basic('native') });
    assert.deepEqual(asked.body, { active: false });

    const login = await begin(app, { client_id: 'shop', redirect_uri: 'https://shop.example/callback' });
    await byPassword(app, login, username);
    const shops = tokensIn(await redeem(app, login, await codeOf(app, login)));
    assert.equal((await get(app, '/userinfo', {}, { headers: bearer(shops.access_token) })).status, 200);
    assert.equal(await lives(app, shops.access_token), false, 'an application does not administrate the network');
    const lifted = await exchange(app, { ...forRefresh(shops.refresh_token), audience: 'openziti' });
    assert.equal(lifted.status, 400);
  });

  test('a token for one purpose is good for no other, nor is one whose signature was not made by this network', async () => {
    await using app = await open();
    const { username } = await app.user();
    const { access_token, refresh_token, id_token } = await tokensOf(app, username);
    const [head = '', body = ''] = access_token.split('.');
    const unsigned = `${Buffer.from('{"alg":"none","kid":"x"}').toString('base64url')}.${body}.x`;
    const none = [refresh_token, id_token, unsigned, `${head}.${body}.${'A'.repeat(86)}`, access_token.slice(0, -1)];
    for (const token of none) assert.equal(await lives(app, token), false);
    for (const token of [access_token, id_token]) assert.equal((await refresh(app, token)).body.error, 'invalid_grant');
    app.clock.advance('31m');
    assert.equal(await lives(app, access_token), false, 'its time is over');
    assert.equal((await refresh(app, refresh_token)).status, 200);
  });

  test('a policy that asks for a code later holds for sessions that gave none', async () => {
    await using app = await open();
    const authPolicyId = await app.create('/auth-policies', policyBody('one factor'));
    const user = await app.user({ isAdmin: true, authPolicyId });
    const { access_token } = await tokensOf(app, user.username);
    assert.equal((await withToken(app, access_token, '/identities')).status, 200);
    await app.request('PATCH', `/auth-policies/${authPolicyId}`, { body: { secondary: { requireTotp: true } } });
    assert.equal((await withToken(app, access_token, '/identities')).status, 401);
    assert.equal((await withToken(app, access_token, '/current-api-session')).body.data.authQueries[0].typeId, 'MFA');
  });
});
