import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, type App, openApp } from '../support/app.ts';
import { authorizeFields, begin, byPassword, get, inLocation, pkce, post } from '../support/oidc.ts';

const page = { headers: { accept: 'text/html' } };
const MARKUP = `"'><script>alert(1)</script><img src=x onerror=alert(1)>&#34;&lt;`;

/** Nothing that was given has become markup. */
const isInert = ({ text, headers }: Answer, what: string): void => {
  assert.doesNotMatch(text, /<script|<img src=x|onerror=alert\(1\)>/, what);
  if (text !== '') assert.match(headers['content-type'] ?? '', /^(text\/(html|plain)|application\/json)/, what);
  for (const [name, value] of Object.entries(headers)) assert.doesNotMatch(value, /[\r\n]/, `${what}: ${name}`);
};

const guarded = ({ headers }: Answer, what: string): void => {
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

test('every page is guarded: it runs and loads nothing, cannot be framed, is kept by no cache, and tells no other site of its address', async () => {
  await using app = await openApp('memory');
  for (const [what, answer] of await pagesOf(app)) guarded(answer, what);
});

test('whatever parameter is shown on a page, or sent back, becomes no markup and no header', async () => {
  await using app = await openApp('memory');
  for (const given of [MARKUP, 'a\r\nset-cookie: x=1', '\u2028\u0000\ufeff']) {
    for (const at of ['/login/username', '/login/password', '/login/cert', '/login/ext-jwt'])
      for (const name of ['authRequestID', 'id']) isInert(await get(app, at, { [name]: given }, page), `${at} ${name}`);
    for (const at of ['/login/username', '/login/totp', '/login/totp/enroll', '/login/totp/enroll/verify', '/login/cert'])
      isInert(await post(app, at, { id: given, username: given, password: given, code: given }, page), at);
    isInert(await get(app, '/authorize/callback', { id: given }, page), 'callback');
    for (const name of ['client_id', 'redirect_uri', 'state', 'scope', 'response_type', 'prompt', 'id_token_hint', 'nonce', 'max_age'])
      isInert(await get(app, '/authorize', authorizeFields(pkce().challenge, { [name]: given }), page), name);
    isInert(
      await get(app, '/end_session', { id_token_hint: given, client_id: given, post_logout_redirect_uri: given, state: given }, page),
      'end',
    );
  }
});

test('a name that was typed stands in the page again, as text, and a password never', async () => {
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
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  assert.equal((await app.request('POST', '/oidc/login/username', { as: null, raw, headers })).status, 400);
});

test('a form and the query that disagree about where the code goes lead nowhere else', async () => {
  await using app = await openApp('memory');
  const fields = authorizeFields(pkce().challenge, { redirect_uri: undefined });
  const evil = encodeURIComponent('https://evil.example/auth/callback');
  for (const [inQuery, inForm] of [
    [evil, encodeURIComponent(authorizeFields('').redirect_uri ?? '')],
    [encodeURIComponent(authorizeFields('').redirect_uri ?? ''), evil],
  ]) {
    const raw = `${new URLSearchParams(JSON.parse(JSON.stringify(fields)))}&redirect_uri=${inForm}`;
    const answer = await app.request('POST', `/oidc/authorize?redirect_uri=${inQuery}`, {
      as: null,
      raw,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    assert.doesNotMatch(answer.headers.location ?? '', /evil/);
    const id = inLocation(answer, 'authRequestID');
    if (id) assert.doesNotMatch((await get(app, '/authorize/callback', { id })).headers.location ?? '', /evil/);
  }
});

test('a form with more fields than may be, or with text that no store can hold, is refused', async () => {
  await using app = await openApp('memory');
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
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
