/**
 * A page of another site makes the browser of its victim take a step of a login that the attacker began: with the browser's certificate,
 * for example.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type App, onEveryStore, openApp, PASSWORD } from '../support/app.ts';
import { aCertificate } from '../support/certificates.ts';
import { type Begun, begin, byPassword, codeOf, get, inLocation, post, redeem, tokensIn } from '../support/oidc.ts';

const OWN = 'https://127.0.0.1:1280';
const oidc = {
  clients: [{ id: 'shop', redirectUris: ['https://shop.example/callback', 'https://any.example:*/callback', 'my.shop://callback'] }],
};
const ofShop = { client_id: 'shop', redirect_uri: 'https://shop.example/callback' };

const FOREIGN: readonly Readonly<Record<string, string>>[] = [
  { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
  { origin: 'https://evil.example' },
  { origin: 'null' },
  { origin: 'null', 'sec-fetch-site': 'same-origin' },
  { origin: '' },
  { 'sec-fetch-site': 'cross-site' },
  { origin: 'http://127.0.0.1.evil.example:1280' },
  { origin: 'https://127.0.0.1:1280@evil.example' },
  { origin: 'https://evil.example/https://127.0.0.1:1280' },
  { origin: 'http://evil.example, https://127.0.0.1:1280' },
  { origin: 'https://shop.example.evil.example' },
  { origin: 'http://shop.example' },
  { origin: 'https://shop.example:8443' },
  { origin: 'https://shop.example', 'sec-fetch-site': 'cross-site' },
];
/** Another client's origin is foreign to a login of the client `openziti`. */
const OF_CLIENT = [
  { origin: 'https://shop.example', 'sec-fetch-site': 'cross-site' },
  { origin: 'https://any.example:8443' },
  { origin: 'my.shop://callback' },
];
const OF_THIS_MACHINE = ['http://127.0.0.1:18999', 'https://localhost:3000', 'http://localhost', 'http://[::1]:80'].map((origin) => ({
  origin,
}));
const WITHOUT_SITE: Readonly<Record<string, string>>[] = [{}, { 'sec-fetch-site': 'none' }, { 'sec-fetch-site': 'same-origin' }];
const OWN_PAGE = [{ origin: OWN }, { origin: OWN, 'sec-fetch-site': 'same-origin' }];

const MEDIA = ['*/*', 'application/json', 'text/html'];

const byCertificate = (
  app: App,
  { id }: Pick<Begun, 'id'>,
  certificates: readonly Uint8Array[],
  headers: Readonly<Record<string, string>>,
) => post(app, '/login/cert', { id }, { certificates, headers });

onEveryStore('a step of a login that a page of another site sends', (open) => {
  test('does not log in with the certificate of the browser, whatever it accepts', async () => {
    await using app = await open({ oidc });
    const { certificates } = await aCertificate(app);
    for (const headers of [...FOREIGN, ...OF_CLIENT, ...OF_THIS_MACHINE])
      for (const accept of MEDIA) {
        const login = await begin(app, ofShop);
        const { status, text } = await byCertificate(app, login, certificates, { ...headers, accept });
        assert.equal(status, 401, `${JSON.stringify(headers)} ${text}`);
        assert.equal(inLocation(await get(app, '/authorize/callback', { id: login.id }), 'code'), undefined);
      }
    assert.equal((await app.rows('apiSession')).filter(({ isBearer }) => isBearer).length, 0);
    for (const headers of [...WITHOUT_SITE, ...OWN_PAGE])
      assert.equal((await byCertificate(app, await begin(app), certificates, headers)).status, 302, JSON.stringify(headers));
  });

  test('is refused for every other step as well, but from pages of the client and of programs on the same machine', async () => {
    await using app = await open({ oidc });
    const user = await app.user();
    const steps = [
      '/login/username',
      '/login/password',
      '/login/ext-jwt',
      '/login/totp',
      '/login/totp/enroll',
      '/login/totp/enroll/verify',
    ];
    for (const headers of [...FOREIGN, ...OF_CLIENT]) {
      const { id } = await begin(app);
      for (const at of steps) {
        const fields = { id, username: user.username, password: PASSWORD, code: '123456' };
        const answer = await post(app, at, fields, { headers });
        assert.deepEqual([answer.status, answer.body.code], [401, 'UNAUTHORIZED'], `${at} ${JSON.stringify(headers)}`);
      }
      const body = { id, code: '123456' };
      assert.equal((await app.request('DELETE', '/oidc/login/totp/enroll', { as: null, body, headers })).status, 401);
      assert.equal((await byPassword(app, { id: 'unknown' }, user.username, PASSWORD, { headers })).status, 401);
    }
    for (const headers of [...WITHOUT_SITE, ...OWN_PAGE, ...OF_THIS_MACHINE])
      assert.equal((await byPassword(app, await begin(app), user.username, PASSWORD, { headers })).status, 302, JSON.stringify(headers));
    for (const headers of OF_CLIENT)
      assert.equal(
        (await byPassword(app, await begin(app, ofShop), user.username, PASSWORD, { headers })).status,
        302,
        JSON.stringify(headers),
      );
  });
});

test('the code of a login by certificate is not redeemed without the certificate, unless the login began with it', async () => {
  await using app = await openApp('memory');
  const { certificates } = await aCertificate(app);
  const other = await aCertificate(app);
  const redeemedBy = async (atBeginning: readonly Uint8Array[], atRedemption: readonly Uint8Array[]) => {
    const login = await begin(app, {}, { certificates: atBeginning });
    assert.equal((await byCertificate(app, login, certificates, {})).status, 302);
    return redeem(app, login, await codeOf(app, login), {}, { certificates: atRedemption });
  };
  for (const [atBeginning, atRedemption] of [
    [[], []],
    [[], other.certificates],
    [other.certificates, []],
    [other.certificates, other.certificates],
  ] as const)
    assert.equal((await redeemedBy(atBeginning, atRedemption)).body.error, 'invalid_grant');
  for (const [atBeginning, atRedemption] of [
    [[], certificates],
    [certificates, []],
    [other.certificates, certificates],
  ] as const)
    tokensIn(await redeemedBy(atBeginning, atRedemption));
});

test('a refused redemption does not spend the code, nor end what came of it', async () => {
  await using app = await openApp('memory');
  const { certificates } = await aCertificate(app);
  const login = await begin(app);
  await byCertificate(app, login, certificates, {});
  const code = await codeOf(app, login);
  assert.equal((await redeem(app, login, code)).body.error, 'invalid_grant');
  const { access_token } = tokensIn(await redeem(app, login, code, {}, { certificates }));
  assert.equal((await redeem(app, login, code)).body.error, 'invalid_grant');
  const asSession = await app.request('GET', '/current-identity', {
    as: null,
    certificates,
    headers: { authorization: `Bearer ${access_token}` },
  });
  assert.equal(asSession.status, 200);
});
