import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, handlerOf, M } from './fake-api.ts';

const open = handlerOf();
const closed = handlerOf({}, { corsOrigins: ['https://console.test'] });
const origin = 'https://console.test';
const preflight = (method: string, headers?: string) => ({
  token: null,
  headers: {
    origin,
    'access-control-request-method': method,
    ...(headers === undefined ? {} : { 'access-control-request-headers': headers }),
  },
});

test('any origin may read any answer, errors included, without credentials', async () => {
  for (const path of [`${M}/things`, '/nope', `${M}/things/%zz`]) {
    const { headers } = await ask(open, 'GET', path, { headers: { origin } });
    assert.equal(headers['access-control-allow-origin'], '*');
    assert.equal(headers['access-control-allow-credentials'], undefined);
  }
  assert.equal((await ask(open, 'GET', `${M}/things`)).headers['access-control-allow-origin'], undefined);
});

test('a header that an operation declares may be sent from other origins', async () => {
  assert.equal((await ask(open, 'OPTIONS', `${M}/sign`, preflight('POST', 'x-one-time-code'))).status, 200);
  assert.equal((await ask(open, 'OPTIONS', `${M}/sign`, preflight('POST', 'x-other'))).status, 403);
});

test('a condition may be sent from other origins', async () => {
  assert.equal((await ask(open, 'OPTIONS', `${M}/things/a`, preflight('PATCH', 'content-type,if-match,zt-session'))).status, 200);
});

test('a preflight is answered without a session, and empty', async () => {
  const { status, body, headers } = await ask(open, 'OPTIONS', `${M}/things`, preflight('POST', 'content-type, ZT-Session'));
  assert.deepEqual([status, body], [200, '']);
  assert.equal(headers['access-control-allow-origin'], '*');
  assert.match(String(headers['access-control-allow-methods']), /PATCH/);
  assert.equal(headers['access-control-allow-headers'], 'content-type,zt-session');
});

test('a preflight for other methods is 405, for other headers 403', async () => {
  assert.equal((await ask(open, 'OPTIONS', `${M}/things`, preflight('PURGE'))).status, 405);
  assert.equal((await ask(open, 'OPTIONS', `${M}/things`, preflight('GET', 'x-other'))).status, 403);
  assert.equal((await ask(open, 'OPTIONS', `${M}/things`, preflight('GET', ''))).status, 200);
});

test('OPTIONS without an origin is empty', async () => {
  for (const path of [`${M}/things`, '/nope', '*']) {
    const { status, body } = await ask(open, 'OPTIONS', path, { token: null });
    assert.deepEqual([status, body], [200, '']);
  }
});

test('only the origins in the list are allowed, and Vary makes caches keep them apart', async () => {
  const mine = await ask(closed, 'GET', `${M}/things`, { headers: { origin } });
  assert.deepEqual(
    [mine.headers['access-control-allow-origin'], mine.headers['access-control-allow-credentials'], mine.headers['vary']],
    [origin, 'true', 'Origin'],
  );
  for (const other of ['https://evil.test', 'null', 'https://console.test.evil.test', '__proto__']) {
    const { status, headers } = await ask(closed, 'GET', `${M}/things`, { headers: { origin: other } });
    assert.deepEqual([status, headers['access-control-allow-origin'], headers['vary']], [200, undefined, 'Origin']);
  }
});

test('browsers may read the headers that clients need, and only those of origins that are allowed', async () => {
  const exposedBy = async (on: typeof open, headers: Readonly<Record<string, string>>) =>
    (await ask(on, 'GET', `${M}/things`, { headers })).headers['access-control-expose-headers'];
  const exposed = String(await exposedBy(open, { origin })).split(',');
  for (const name of ['zt-session', 'expiration-seconds', 'expires-at', 'www-authenticate', 'etag', 'location', 'retry-after'])
    assert.ok(exposed.includes(name), name);
  assert.equal(await exposedBy(closed, { origin }), exposed.join());
  assert.equal(await exposedBy(closed, { origin: 'https://evil.test' }), undefined);
  assert.equal(await exposedBy(open, {}), undefined);
});
