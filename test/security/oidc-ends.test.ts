/** Logins, tokens and sessions of the provider end at their exact moment, by an id token at the logout, and by a revocation. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryStore } from '../support/app.ts';
import {
  authorizeFields,
  basic,
  bearer,
  begin,
  byPassword,
  claimsOf,
  codeOf,
  exchange,
  forRefresh,
  get,
  inLocation,
  lives,
  pkce,
  post,
  redeem,
  refresh,
  TYPE,
  tokensIn,
  tokensOf,
} from '../support/oidc.ts';
import { newSharedStorage } from '../support/stores.ts';

const OTHER_HOST = { headers: { host: 'other.example:1280' } };

onEveryStore('an id token as a hint', (open) => {
  test('ends its own session only, expired or not, at its issuer and for its client', async () => {
    await using app = await open({ oidc: { hosts: ['other.example:1280'], idTokenMinutes: 1 } });
    const { username } = await app.user();
    const [one, other] = [await tokensOf(app, username), await tokensOf(app, username)];
    app.clock.advance('2m');
    for (const [fields, options] of [
      [{ id_token_hint: one.access_token }],
      [{ id_token_hint: `${one.id_token.slice(0, -8)}AAAAAAAA` }],
      [{ id_token_hint: '' }],
      [{ id_token_hint: one.id_token, client_id: 'native' }],
      [{ id_token_hint: one.id_token }, OTHER_HOST],
    ] as const)
      assert.equal((await get(app, '/end_session', fields, options)).body?.error, 'invalid_request', JSON.stringify(fields));
    assert.deepEqual([await lives(app, one.access_token), await lives(app, other.access_token)], [true, true]);
    for (const client of [{}, { client_id: 'openziti' }])
      assert.equal((await get(app, '/end_session', { id_token_hint: one.id_token, ...client })).status, 302);
    assert.deepEqual([await lives(app, one.access_token), await lives(app, other.access_token)], [false, true]);
    const { data } = (await app.request('GET', '/revocations')).body;
    const revoked = data.map(({ id, type }: { id: string; type: string }) => [type, id]);
    assert.deepEqual(revoked, [['API_SESSION', claimsOf(one.id_token).z_asid]]);
  });

  test('begins a login where it is one of the issuer that is asked, expired or not', async () => {
    await using app = await open({ oidc: { hosts: ['other.example:1280'], idTokenMinutes: 1 } });
    const { username } = await app.user();
    const { id_token: id_token_hint } = await tokensOf(app, username);
    app.clock.advance('2m');
    const fields = authorizeFields(pkce().challenge, { id_token_hint, max_age: '4294967295' });
    assert.ok(inLocation(await get(app, '/authorize', fields), 'authRequestID'));
    assert.equal(inLocation(await get(app, '/authorize', fields, OTHER_HOST), 'error'), 'login_required');
  });
});

onEveryStore('a token at another issuer, after its end, or from another client', (open) => {
  test('is none for who asks who it is, nor for an exchange of access tokens, and a refresh token is one', async () => {
    await using app = await open({ oidc: { hosts: ['other.example:1280'] } });
    const { username } = await app.user();
    const { access_token, refresh_token } = await tokensOf(app, username);
    const headers = { ...bearer(access_token), ...OTHER_HOST.headers };
    assert.equal((await get(app, '/userinfo', {}, { headers })).status, 401);
    const subject = { subject_token: access_token, subject_token_type: `${TYPE}access_token`, requested_token_type: `${TYPE}access_token` };
    const elsewhere = { ...basic(), ...OTHER_HOST.headers };
    assert.equal((await exchange(app, subject, elsewhere)).body.error, 'invalid_grant');
    assert.equal((await exchange(app, subject)).status, 200);
    assert.equal((await exchange(app, forRefresh(refresh_token), elsewhere)).status, 200);
  });

  test('expires at its very second: an access token, a refresh token whose session lives, a login', async () => {
    await using app = await open({ oidc: { accessTokenMinutes: 1, refreshTokenMinutes: 60 } });
    const { username } = await app.user();
    const first = await tokensOf(app, username);
    const isActive = async (token: string) => (await post(app, '/oauth/introspect', { token }, { headers: basic() })).body.active;
    app.clock.advance('59999ms');
    assert.deepEqual([await lives(app, first.access_token), await isActive(first.access_token)], [true, true]);
    app.clock.advance('1ms');
    assert.deepEqual([await lives(app, first.access_token), await isActive(first.access_token)], [false, false]);
    app.clock.advance('58m');
    const exchanged = tokensIn(await exchange(app, forRefresh(first.refresh_token)));
    app.clock.advance('1m');
    assert.equal((await refresh(app, first.refresh_token)).body.error, 'invalid_grant');
    assert.equal((await refresh(app, exchanged.refresh_token)).status, 200);

    const [early, late] = [await begin(app), await begin(app)];
    app.clock.advance('599999ms');
    assert.equal((await byPassword(app, early, username)).status, 302);
    app.clock.advance('1ms');
    assert.equal((await byPassword(app, late, username)).status, 401);
  });

  test('is taken from a controller whose clock is a minute ahead, and from none that is further ahead', async () => {
    await using shared = newSharedStorage('memory');
    await using ahead = await open({ storage: shared.adapter() });
    const { username } = await ahead.user();
    await using app = await open({ storage: shared.adapter() });
    ahead.clock.advance('60s');
    const early = await tokensOf(ahead, username);
    ahead.clock.advance('1s');
    const tooEarly = await tokensOf(ahead, username);
    assert.deepEqual([await lives(app, early.access_token), await lives(app, tooEarly.access_token)], [true, false]);
  });

  test('gets no more scopes than were granted, and none for a client that is named twice', async () => {
    await using app = await open();
    const { username } = await app.user();
    const { refresh_token } = await tokensOf(app, username);
    assert.equal((await refresh(app, refresh_token, { scope: 'openid email' })).body.error, 'invalid_scope');
    assert.equal((await refresh(app, refresh_token, {}, { headers: basic('native') })).body.error, 'invalid_client');
    assert.equal((await refresh(app, refresh_token, { scope: 'openid' }, { headers: basic() })).status, 200);
  });

  test('is not revoked twice: a refresh token that is spent does not take its successors along', async () => {
    await using app = await open();
    const { username } = await app.user();
    const { refresh_token } = await tokensOf(app, username);
    const renewed = tokensIn(await refresh(app, refresh_token));
    assert.equal((await post(app, '/revoke', { client_id: 'openziti', token: refresh_token })).status, 200);
    assert.equal(await lives(app, renewed.access_token), true);
  });
});

onEveryStore('codes of one login', (open) => {
  test('are ten: the newest is redeemed, and one before the last ten is not', async () => {
    await using app = await open();
    const { username } = await app.user();
    const login = await begin(app);
    await byPassword(app, login, username);
    const codes: string[] = [];
    while (codes.length < 11) codes.push(await codeOf(app, login));
    assert.equal((await redeem(app, login, codes[0] ?? '')).body.error, 'invalid_grant');
    assert.equal((await redeem(app, login, codes[10] ?? '')).status, 200);
  });
});
