import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as client from 'openid-client';
import { fetchHandler } from '../../adapters/http/fetch.ts';
import { webPlatform } from '../../src/runtime/platform/web.ts';
import { type App, onEveryStore, PASSWORD } from '../support/app.ts';
import { openBrowser } from '../support/browser.ts';
import { enrollMfa } from '../support/mfa.ts';

const ISSUER = new URL('https://127.0.0.1:1280/oidc');
const CALLBACK = 'https://shop.example/callback';
const AFTER = 'https://shop.example/bye';
const oidc = { clients: [{ id: 'shop', redirectUris: [CALLBACK], postLogoutRedirectUris: [AFTER] }] };

/** A relying party as its developers write it, with a library of theirs; and a browser without scripts, in which people log in. */
const relyingParty = async (app: App) => {
  const handle = fetchHandler(app.controller);
  const fetch = (url: string, init?: RequestInit) => handle(new Request(url, { ...init, redirect: 'manual' }));
  const config = await client.discovery(ISSUER, 'shop', undefined, client.None(), {
    [client.customFetch]: (url, init) => fetch(url, init as RequestInit),
  });
  config[client.customFetch] = (url, init) => fetch(url, init as RequestInit);

  const code_verifier = client.randomPKCECodeVerifier();
  const [state, nonce] = [client.randomState(), client.randomNonce()];
  const address = client.buildAuthorizationUrl(config, {
    redirect_uri: CALLBACK,
    scope: 'openid offline_access',
    code_challenge: await client.calculatePKCECodeChallenge(code_verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
  });
  const checks = { pkceCodeVerifier: code_verifier, expectedState: state, expectedNonce: nonce };
  return { config, address, browser: openBrowser(app), checks };
};

onEveryStore('an off-the-shelf relying party', (open) => {
  test('discovers the provider, gets tokens by a code, renews them, asks who it is, revokes them and logs out', async () => {
    // The library has a clock of its own.
    await using app = await open({ oidc, platform: { clock: webPlatform().clock } });
    const user = await app.user({ externalId: 'ann-1' });
    const { config, address, browser, checks } = await relyingParty(app);
    const form = await browser.open(address);
    const refused = await browser.submit(form, { username: user.username, password: 'not-the-password' });
    assert.match(refused.page, /role="alert"/);
    const { url } = await browser.submit(refused, { username: user.username, password: PASSWORD });

    const tokens = await client.authorizationCodeGrant(config, url, checks);
    assert.equal(tokens.claims()?.sub, user.id);
    const info = await client.fetchUserInfo(config, tokens.access_token, user.id);
    assert.deepEqual(info, { sub: user.id, name: user.username, z_ia: false, z_eid: 'ann-1' });
    const renewed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    assert.equal(renewed.claims()?.sub, user.id);
    await client.tokenRevocation(config, renewed.access_token);
    await assert.rejects(client.fetchUserInfo(config, renewed.access_token, user.id));

    const end = client.buildEndSessionUrl(config, { id_token_hint: renewed.id_token ?? '', post_logout_redirect_uri: AFTER, state: 'bye' });
    assert.equal((await browser.open(end)).url.href, `${AFTER}?state=bye`);
    await assert.rejects(client.refreshTokenGrant(config, renewed.refresh_token ?? ''), { error: 'invalid_grant' });
  });

  test('sends people through the page of their second factor', async () => {
    await using app = await open({ oidc });
    const user = await app.user();
    const factor = await enrollMfa(app, await user.login());
    const { address, browser } = await relyingParty(app);
    const code = await browser.submit(await browser.open(address), { username: user.username, password: PASSWORD });
    assert.match(code.page, /autocomplete="one-time-code"/);
    const wrong = await browser.submit(code, { code: factor.wrongCode() });
    assert.match(wrong.page, /role="alert"/);
    const { url } = await browser.submit(wrong, { code: factor.code() });
    assert.equal(url.origin + url.pathname, CALLBACK);
  });
});
