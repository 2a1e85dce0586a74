import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { list } from '../support/lists.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';

const current = (app: App, as: string) => app.request('GET', '/current-api-session', { as });
const sessionsOf = async (app: App, identityId: string, as?: string) =>
  (await list(app, '/api-sessions', { filter: `identity = "${identityId}" sort by createdAt` }, as ? { as } : {})).body.data;

onEveryStore('API sessions', (open) => {
  test('an administrator sees all sessions, without their tokens and their end', proves(8, 45, 352, 353), async () => {
    await using app = await open();
    const user = await app.user();
    const as = await user.login();
    const [session] = await sessionsOf(app, user.id);
    const own = (await current(app, as)).body.data;
    const { expirationSeconds, expiresAt, ...shown } = own;
    assert.deepEqual(session, { ...shown, token: own.id });
    assert.deepEqual((await app.request('GET', `/api-sessions/${own.id}`)).body.data, session);
    assert.equal((await app.request('GET', '/api-sessions')).body.meta.pagination.totalCount, 2);
  });

  test('sessions are found by each of their filter fields, and listed by pages', proves(352), async () => {
    await using app = await open();
    const user = await app.user();
    const token = await user.login();
    await user.login();
    const total = async (filter: string) => (await list(app, '/api-sessions', { filter })).body.meta.pagination.totalCount;
    assert.equal(await total(`authenticator = "${user.authenticatorId}"`), 2);
    assert.equal(await total('ipAddress = "127.0.0.1"'), 3);
    assert.equal(await total('mfaRequired or mfaComplete or improperClientCertChain'), 0);
    assert.equal(await total('lastActivityAt >= datetime(2026-11-21T10:00:00Z)'), 3);
    assert.equal(await total(`token = "${token}"`), 1);
    assert.equal((await list(app, '/api-sessions', { limit: 1, offset: 1 })).body.data.length, 1);
    assertInvalid(await list(app, '/api-sessions', { offset: 'x' }), 'offset');
    assertRefused(await list(app, '/api-sessions', { filter: 'tokenHash = "x"' }), 400, 'INVALID_FILTER');
    const { filterableFields } = (await app.request('GET', '/api-sessions')).body.meta;
    const own = [
      'authenticator',
      'identity',
      'improperClientCertChain',
      'ipAddress',
      'lastActivityAt',
      'mfaComplete',
      'mfaRequired',
      'token',
    ];
    assert.deepEqual(filterableFields.toSorted(), ['id', 'createdAt', 'updatedAt', 'isSystem', 'tags', ...own].toSorted());
  });

  test('a session that an administrator deletes is over at once, and others continue', proves(8, 340, 353), async () => {
    await using app = await open();
    const user = await app.user();
    const [one, two] = [await user.login(), await user.login()];
    const { id } = (await current(app, one)).body.data;
    const { status, body } = await app.request('DELETE', `/api-sessions/${id}`);
    assert.deepEqual([status, body.data], [200, {}]);
    assertRefused(await current(app, one), 401, 'UNAUTHORIZED');
    assert.equal((await current(app, two)).status, 200);
    for (const method of ['GET', 'DELETE']) assertRefused(await app.request(method, `/api-sessions/${id}`), 404, 'NOT_FOUND');
  });

  test('deleting an API session without the right is forbidden, of others and of its own', proves(340, 341, 449), async () => {
    await using app = await open();
    const [user, other] = [await app.user(), await app.user()];
    const as = await user.login();
    const theirs = (await current(app, await other.login())).body.data.id;
    const own = (await current(app, as)).body.data.id;
    const left = await app.trail(async () => {
      for (const id of [theirs, own, 'no-such-id'])
        assertRefused(await app.request('DELETE', `/api-sessions/${id}`, { as }), 403, 'UNAUTHORIZED');
      assertRefused(await app.request('DELETE', `/api-sessions/${theirs}`, { as: null }), 401, 'UNAUTHORIZED');
    });
    assert.deepEqual(left, []);
  });

  test('logging out ends the session of the request and no other', async () => {
    await using app = await open();
    const user = await app.user();
    for (const prefix of ['', '/edge/client/v1']) {
      const [one, two] = [await user.login(), await user.login()];
      const { status, body } = await app.request('DELETE', `${prefix}/current-api-session`, { as: one });
      assert.deepEqual([status, body.data], [200, {}]);
      for (const method of ['GET', 'DELETE'])
        assertRefused(await app.request(method, `${prefix}/current-api-session`, { as: one }), 401, 'UNAUTHORIZED');
      assert.equal((await current(app, two)).status, 200);
    }
  });

  test('every request extends the session, without an end', proves(38), async () => {
    await using app = await open();
    const as = await (await app.user()).login();
    for (let i = 1; i <= 20; i++) {
      app.clock.advance('20m');
      const { status, headers, body } = await current(app, as);
      assert.equal(status, 200);
      assert.equal(body.data.cachedLastActivityAt, new Date(app.clock.now()).toISOString());
      assert.equal(body.data.expiresAt, new Date(app.clock.now() + 1_800_000).toISOString());
      assert.equal(headers['expires-at'], body.data.expiresAt);
    }
  });

  test('activity is written down again after half a minute, no sooner', async () => {
    await using app = await open();
    const user = await app.user();
    const as = await user.login();
    const written = async () => {
      await app.request('GET', '/current-identity', { as });
      await app.settled();
      const [row] = (await app.rows('apiSession')).filter(({ identityId }) => identityId === user.id);
      return row?.lastActivityAt;
    };
    app.clock.advance('29s');
    app.clock.advance('999ms');
    assert.equal(await written(), '2026-11-21T10:00:00.000Z');
    app.clock.advance('1ms');
    assert.equal(await written(), '2026-11-21T10:00:30.000Z');
  });

  test('a session lives to the last millisecond of its time, and no longer', async () => {
    await using app = await open({ settings: { sessionTimeoutMinutes: 30 } });
    const user = await app.user();
    const [as, other] = [await user.login(), await user.login()];
    const idle = await app.user();
    await idle.login();
    const isLoggedIn = async () => (await app.controller.api.identities.get({ id: idle.id })).hasApiSession;
    app.clock.advance('29m');
    app.clock.advance('59s');
    app.clock.advance('999ms');
    assert.equal((await current(app, as)).status, 200);
    assert.equal(await isLoggedIn(), true);
    app.clock.advance('1ms');
    assert.equal(await isLoggedIn(), false);
    assertRefused(await current(app, other), 401, 'UNAUTHORIZED');
    assert.equal((await current(app, as)).status, 200);
  });

  test('the time without activity can be set', async () => {
    await using app = await open({ settings: { sessionTimeoutMinutes: 1 } });
    const as = await (await app.user()).login();
    assert.equal((await current(app, as)).body.data.expirationSeconds, 60);
    app.clock.advance('59s');
    assert.equal((await current(app, as)).status, 200);
    app.clock.advance('60s');
    assertRefused(await current(app, as), 401, 'UNAUTHORIZED');
  });

  test('sessions that idled away are tidied up by later logins, and do not count as sessions', proves(122), async () => {
    await using app = await open();
    const user = await app.user();
    await user.login();
    await user.login();
    const hasApiSession = async () => (await app.request('GET', `/identities/${user.id}`)).body.data.hasApiSession;
    assert.equal(await hasApiSession(), true);
    app.clock.advance('20m');
    assert.equal(await hasApiSession(), true);
    app.clock.advance('10m');
    assert.equal(await hasApiSession(), false);
    assert.equal((await app.rows('apiSession')).length, 3);
    app.clock.advance('31m');
    const as = (await app.login('admin', 'the-admin-password')).body.data.token;
    assert.equal((await app.request('GET', `/identities/${user.id}`, { as })).body.data.hasApiSession, false);
    assert.deepEqual(await sessionsOf(app, user.id, as), []);
    assert.equal((await app.rows('apiSession')).length, 1);
  });

  test('a token is presented in the header zt-session and in no other way', proves(442), async () => {
    await using app = await open();
    const token = await (await app.user()).login();
    const look = (headers: Readonly<Record<string, string>>, path = '/current-identity') => app.request('GET', path, { as: null, headers });
    assert.equal((await look({ 'zt-session': token })).status, 200);
    const others = [
      {},
      { cookie: `zt-session=${token}` },
      { authorization: `Bearer ${token}` },
      { authorization: token },
      { 'zt-session': 'abc' },
      { 'zt-session': '4fa5b8f0-0d7d-4f5d-a7b5-0f0f0f0f0f0f' },
      { 'zt-session': `${token} ` },
    ];
    for (const headers of others) assertRefused(await look(headers), 401, 'UNAUTHORIZED');
    assertRefused(await look({}, `/current-identity?zt-session=${token}&token=${token}`), 401, 'UNAUTHORIZED');
    assertRefused(await look({ 'zt-session': 'abc', authorization: `Bearer ${token}` }), 401, 'UNAUTHORIZED');
  });

  test('the cause tells a missing token from a bad one, and nothing of what is bad', proves(448), async () => {
    await using app = await open();
    const causeWith = async (as: string | null) => {
      const answer = await app.request('GET', '/identities', { as });
      assertRefused(answer, 401, 'UNAUTHORIZED');
      return answer.body.error.cause.message;
    };
    assert.equal(await causeWith(null), 'no session token was presented: send the header zt-session');
    const user = await app.user({ isAdmin: true });
    const [ended, disabled] = [await user.login(), await user.login()];
    await app.request('DELETE', '/current-api-session', { as: ended });
    await app.request('POST', `/identities/${user.id}/disable`, { body: { durationMinutes: 0 } });
    const over = 'the session is unknown, has expired or was ended: log in again';
    for (const as of ['nonsense', '4fa5b8f0-0d7d-4f5d-a7b5-0f0f0f0f0f0f', ended, disabled]) assert.equal(await causeWith(as), over);
    const idle = await (await app.user({ isAdmin: true })).login();
    app.clock.advance('30m');
    assert.equal(await causeWith(idle), over);
  });

  test('the current identity is the one of the session, with links of its own', proves(381), async () => {
    await using app = await open();
    for (const user of [await app.user(), await app.user()]) {
      const as = await user.login();
      for (const path of ['/current-identity', '/edge/client/v1/current-identity']) {
        const { data } = (await app.request('GET', path, { as })).body;
        const detail = (await app.request('GET', `/identities/${user.id}`)).body.data;
        assert.deepEqual(data, { ...detail, _links: { self: { href: './current-identity' }, mfa: { href: './current-identity/mfa' } } });
      }
    }
  });
});
