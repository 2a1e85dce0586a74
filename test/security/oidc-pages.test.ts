import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, type App, openApp } from '../support/app.ts';
import { authorizeFields, begin, byPassword, FORM, get, inLocation, pkce, post, REDIRECT } from '../support/oidc.ts';

const page = { headers: { accept: 'text/html' } };
const MARKUP = `"'><script>alert(1)</script><img src=x onerror=alert(1)>&#34;&lt;`;

/** Asserts that no input has become markup, or a header. */
const assertInert = ({ text, headers }: Answer, what: string): void => {
  assert.doesNotMatch(text, /<script|<img src=x|onerror=alert\(1\)>/, what);
  if (text !== '') assert.match(headers['content-type'] ?? '', /^(text\/(html|plain)|application\/json)/, what);
  for (const [name, value] of Object.entries(headers)) assert.doesNotMatch(value, /[\r\n]/, `${what}: ${name}`);
};

const assertGuarded = ({ headers }: Answer, what: string): void => {
  const policy = headers['content-security-policy'] ?? '';
  for (const part of ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"])
    assert.ok(policy.includes(part), `${what}: ${part} in ${policy}`);
  assert.equal(headers['x-frame-options'], 'DENY', what);
  assert.equal(headers['x-content-type-options'], 'nosniff', what);
  assert.equal(headers['referrer-policy'], 'same-origin', what);
  assert.match(headers['cache-control'] ?? '', /no-store/, what);
};

const pagesOf = async (app: App): Promise<readonly (readonly [string, Answer])[]> => {
  const { id } = await begin(app);
  const user = await app.user();
  return [
    ['password', await get(app, '/login/username', { authRequestID: id }, page)],
    ['certificate', await get(app, '/login/cert', { authRequestID: id }, page)],
    ['token', await get(app, '/login/ext-jwt', { authRequestID: id }, page)],
    ['refused', await byPassword(app, { id }, user.username, 'wrong', page)],
    ['no code', await post(app, '/login/totp', { id, code: '1' }, page)],
    ['logged out', await get(app, '/logged-out', {}, page)],
    ['no such login', await get(app, '/authorize/callback', { id: 'x' }, page)],
    ['no client', await get(app, '/authorize', { client_id: 'x' }, page)],
  ];
};

test('every page is guarded: it runs and loads nothing, cannot be framed or cached, and does not disclose its address to other sites', async () => {
  await using app = await openApp('memory');
  for (const [what, answer] of await pagesOf(app)) assertGuarded(answer, what);
});

test('a parameter that is shown on a page or sent back never becomes markup or a header', async () => {
  await using app = await openApp('memory');
  for (const given of [MARKUP, 'a\r\nset-cookie: x=1', '\u2028\u0000\ufeff']) {
    for (const at of ['/login/username', '/login/password', '/login/cert', '/login/ext-jwt'])
      for (const name of ['authRequestID', 'id']) assertInert(await get(app, at, { [name]: given }, page), `${at} ${name}`);
    for (const at of ['/login/username', '/login/totp', '/login/totp/enroll', '/login/totp/enroll/verify', '/login/cert'])
      assertInert(await post(app, at, { id: given, username: given, password: given, code: given }, page), at);
    assertInert(await get(app, '/authorize/callback', { id: given }, page), 'callback');
    for (const name of ['client_id', 'redirect_uri', 'state', 'scope', 'response_type', 'prompt', 'id_token_hint', 'nonce', 'max_age'])
      assertInert(await get(app, '/authorize', authorizeFields(pkce().challenge, { [name]: given }), page), name);
    assertInert(
      await get(app, '/end_session', { id_token_hint: given, client_id: given, post_logout_redirect_uri: given, state: given }, page),
      'end',
    );
  }
});

test('the page shows a typed name again, as text, and never a password', async () => {
  await using app = await openApp('memory');
  const { id } = await begin(app);
  const { text, status } = await byPassword(app, { id }, MARKUP, 'the-typed-password', page);
  assert.equal(status, 401);
  assert.match(text, /value="&#34;&#39;&#62;&#60;script&#62;/);
  assert.doesNotMatch(text, /<script|the-typed-password/);
});

test('a parameter that is given twice is refused, not taken at one place and checked at another', async () => {
  await using app = await openApp('memory');
  const fields = new URLSearchParams(authorizeFields(pkce().challenge) as Record<string, string>);
  for (const [name, other] of [
    ['redirect_uri', 'https://evil.example/auth/callback'],
    ['client_id', 'native'],
    ['code_challenge', pkce().challenge],
    ['response_type', 'token'],
    ['state', 'another'],
  ] as const) {
    const { status, headers } = await app.request('GET', `/oidc/authorize?${fields}&${name}=${encodeURIComponent(other)}`, { as: null });
    assert.equal(status, 400, `${name}: ${headers.location}`);
  }
  const { id } = await begin(app);
  const { id: victims } = await begin(app);
  const user = await app.user();
  const raw = `id=${id}&id=${victims}&username=${user.username}&password=x`;
  const headers = { 'content-type': FORM };
  assert.equal((await app.request('POST', '/oidc/login/username', { as: null, raw, headers })).status, 400);
});

test('the redirect URI of a form decides where the code goes, whatever the query contains', async () => {
  await using app = await openApp('memory');
  const { username } = await app.user();
  const evil = 'https://evil.example/auth/callback';
  const authorize = (inQuery: string, inForm: string) =>
    post(app, `/authorize?redirect_uri=${encodeURIComponent(inQuery)}`, authorizeFields(pkce().challenge, { redirect_uri: inForm }));
  assert.equal((await authorize(REDIRECT, evil)).status, 400);
  const login = { id: inLocation(await authorize(evil, REDIRECT), 'authRequestID') ?? '' };
  assert.equal((await byPassword(app, login, username)).status, 302);
  const { headers } = await get(app, '/authorize/callback', login);
  assert.ok(headers.location?.startsWith(`${REDIRECT}?code=`), headers.location);
});

test('a form with more fields than may be, or with text that no store can hold, is refused', async () => {
  await using app = await openApp('memory');
  const headers = { 'content-type': FORM };
  for (const [raw, reason] of [
    [Array.from({ length: 20_001 }, (_, i) => `f${i}=`).join('&'), /more than 20,?000 keys/],
    ['username=a%00b', /U\+0000/],
    ['username=a&username=b%00', /U\+0000/],
  ] as const) {
    const { status, body } = await app.request('POST', '/oidc/login/username', { as: null, raw, headers });
    assert.deepEqual([status, body.code], [400, 'COULD_NOT_PARSE_BODY']);
    assert.match(body.message, reason);
  }
});

test('parameters of any length are refused or bounded, and lead to no failure', async () => {
  await using app = await openApp('memory');
  const long = 'x'.repeat(200_000);
  for (const name of ['state', 'nonce', 'scope', 'client_id', 'redirect_uri', 'id_token_hint', 'configTypes', 'prompt', 'code_challenge'])
    assert.ok((await get(app, '/authorize', authorizeFields(pkce().challenge, { [name]: long }))).status < 500, name);
  for (const name of ['code', 'code_verifier', 'refresh_token', 'subject_token', 'scope', 'client_id', 'grant_type'])
    assert.ok(
      (await post(app, '/oauth/token', { grant_type: 'authorization_code', client_id: 'openziti', [name]: long })).status < 500,
      name,
    );
  for (const at of ['/login/username', '/login/totp', '/login/totp/enroll', '/revoke', '/oauth/introspect', '/end_session'])
    assert.ok((await post(app, at, { id: long, username: long, password: long, code: long, token: long })).status < 500, at);
});
