/** Anyone may begin a login, and each is stored for ten minutes: strangers must not fill the disk by it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authRequest } from '../../src/contract/api/auth-requests.ts';
import { type App, onEveryStore, openApp } from '../support/app.ts';
import { authorizeFields, begin, byPassword, get, inLocation, pkce, post } from '../support/oidc.ts';

/** Bytes of the logins that are stored. */
const stored = async (app: App): Promise<number> => JSON.stringify(await app.rows('authRequest')).length;

const fieldsOf = (more: Readonly<Record<string, string>>) => authorizeFields(pkce().challenge, more);

onEveryStore('beginning a login', (open) => {
  test('stores a few kilobytes at most, in whatever field they come: a larger request is refused, and nothing is stored', async () => {
    await using app = await open({ settings: { maxBodyBytes: 2_000_000 } });
    const large = 'x'.repeat(4000);
    const many = (length: number, each: number) =>
      `${new URLSearchParams(fieldsOf({}) as Record<string, string>)}${'&configTypes='.concat('y'.repeat(each)).repeat(length)}`;
    for (const raw of [many(1000, 1000), many(1000, 4), many(5, 1000)]) {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const { status, text } = await app.request('POST', '/oidc/authorize', { as: null, raw, headers });
      assert.equal(status, 400);
      assert.match(text, /bytes/);
    }
    for (const fields of [
      { state: large },
      { nonce: large },
      { state: large.slice(2000), nonce: large.slice(2000) },
      { state: 'ü'.repeat(2000) },
    ])
      for (const answer of [await get(app, '/authorize', fieldsOf(fields)), await post(app, '/authorize', fieldsOf(fields))])
        assert.equal(answer.status, 400, answer.headers.location);
    assert.equal(await app.count('authRequest'), 0);
    const bytesOf = async (length: number) =>
      /has (\d+) bytes/.exec((await get(app, '/authorize', fieldsOf({ state: 'x'.repeat(length) }))).text)?.[1];
    const beyond = Number(await bytesOf(4096)) - 4096;
    assert.equal(await bytesOf(4096 - beyond + 1), '4097');
    await begin(app, { state: 'x'.repeat(4096 - beyond) });
    assert.ok((await stored(app)) < 5000);
  });

  test('is limited for each address, so that one client cannot fill what all share', async () => {
    await using app = await open({ oidc: { loginsPerMinute: 3 } });
    const beginFrom = async (address: string) => (await get(app, '/authorize', fieldsOf({}), { address })).status;
    const from = async (...addresses: readonly string[]) => {
      const answers: number[] = [];
      for (const address of addresses) answers.push(await beginFrom(address));
      return answers;
    };
    assert.deepEqual(await from('192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.2'), [302, 302, 302, 429, 302]);
    const refused = await get(app, '/authorize', fieldsOf({}), { address: '192.0.2.1' });
    assert.equal(refused.headers['retry-after'], '20');
    // A subscriber has all addresses of a /64 network.
    assert.deepEqual(await from('2001:db8::1', '2001:db8::2', '2001:db8::3', '2001:db8::4', '2001:db8:0:1::1'), [302, 302, 302, 429, 302]);
    const before = await app.count('authRequest');
    assert.deepEqual(await from('192.0.2.1', '2001:db8::9'), [429, 429]);
    assert.equal(await app.count('authRequest'), before);
    app.clock.advance('20s');
    assert.deepEqual(await from('192.0.2.1', '192.0.2.1'), [302, 429]);
  });
});

test('of more than 25,000 logins the oldest make room, whoever began them', async () => {
  await using app = await openApp('memory');
  const user = await app.user();
  const oldest = await begin(app);
  app.clock.advance('1s');
  const endsAt = new Date(app.clock.now() + 600_000).toISOString();
  const [row] = await app.inStore('read', (entities) => entities.list(authRequest, { where: { op: 'all' }, limit: 1 }));
  const { request, progress } = row ?? assert.fail();
  await app.inStore('write', async (entities) => {
    for (let i = 0; i < 24_999; i++) await entities.insert(authRequest, { request, progress, apiSessionId: null, endsAt });
  });
  assert.equal(await app.count('authRequest'), 25_000);
  const newest = await begin(app);
  assert.equal(await app.count('authRequest'), 25_000);
  assert.equal((await byPassword(app, oldest, user.username)).status, 401);
  assert.equal((await byPassword(app, newest, user.username)).status, 302);
});

test('a beginning that is refused stores nothing, and says why', async () => {
  await using app = await openApp('memory');
  for (const fields of [
    { client_id: 'unknown' },
    { redirect_uri: 'https://evil.example/' },
    { prompt: 'none' },
    { scope: '' },
    { response_type: 'token' },
    { id_token_hint: 'x' },
    { request: 'x' },
    { request_uri: 'x' },
    { code_challenge: 'short' },
  ])
    await get(app, '/authorize', fieldsOf(fields));
  assert.equal(await app.count('authRequest'), 0);
  const refused = await get(app, '/authorize', fieldsOf({ id_token_hint: 'x' }));
  assert.equal(inLocation(refused, 'error'), 'login_required');
  assert.match(inLocation(refused, 'error_description') ?? '', /id_token_hint/);
});
