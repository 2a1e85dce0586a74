/**
 * The client of a login, and other pages of the same site, share the site's cookies with the login pages: a login on pages goes on from
 * these only, although the client may take steps of its own logins by scripts.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type App, onEveryStore, PASSWORD } from '../support/app.ts';
import { openBrowser } from '../support/browser.ts';
import { begin, byPassword, inLocation, post } from '../support/oidc.ts';
import { policyBody } from '../support/policies.ts';

const OF_CLIENT = 'https://shop.example';
const client = { id: 'shop', redirectUris: [`${OF_CLIENT}/callback`] };
const ofShop = { client_id: 'shop', redirect_uri: `${OF_CLIENT}/callback` };

const requiringTotp = (app: App) => app.create('/auth-policies', policyBody('two factors', { secondary: { requireTotp: true } }));

onEveryStore('a login that was begun on a page', (open) => {
  test('takes no step from a page of its client or of this machine, whose requests the browser sends with its cookie', async () => {
    await using app = await open({ oidc: { clients: [client] } });
    const user = await app.user({ authPolicyId: await requiringTotp(app) });
    const login = await begin(app, ofShop);
    const browser = openBrowser(app);
    const shown = await browser.submit(await browser.open(`/oidc/login/username?authRequestID=${login.id}`), {
      username: user.username,
      password: PASSWORD,
    });
    for (const origin of [OF_CLIENT, 'https://127.0.0.1:3000', 'http://localhost:8080']) {
      const headers = { accept: 'text/html', cookie: browser.cookies, origin, 'sec-fetch-site': 'same-site' };
      for (const at of ['/login/totp/enroll', '/login/totp/enroll/verify', '/login/totp', '/login/username'])
        assert.equal((await post(app, at, { id: login.id, code: '123456' }, { headers })).status, 401, `${at} ${origin}`);
      const body = { id: login.id };
      assert.equal((await app.request('DELETE', '/oidc/login/totp/enroll', { as: null, body, headers })).status, 401);
    }
    assert.equal(await app.count('mfa'), 0);
    assert.match((await browser.submit(shown)).page, /class="key"/);
  });

  test('is not forbidden to scripts of the client, which log in without cookies', async () => {
    await using app = await open({ oidc: { clients: [client] } });
    const user = await app.user({ authPolicyId: await requiringTotp(app) });
    const login = await begin(app, ofShop);
    const headers = { accept: 'application/json', origin: OF_CLIENT, 'sec-fetch-site': 'cross-site' };
    assert.equal((await byPassword(app, login, user.username, PASSWORD, { headers })).status, 200);
    assert.equal((await post(app, '/login/totp/enroll', { id: login.id }, { headers })).status, 201);
    const other = await app.user();
    const second = await begin(app, ofShop);
    assert.ok(inLocation(await byPassword(app, second, other.username, PASSWORD, { headers }), 'id'));
  });
});
