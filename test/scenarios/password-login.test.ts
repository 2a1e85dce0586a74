import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { type App, onEveryStore, PASSWORD } from '../support/app.ts';
import { policyBody } from '../support/policies.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';

/** The same whatever was wrong. */
const REFUSED = {
  code: 'INVALID_AUTH',
  message: 'The authentication request failed',
  cause: {
    code: 'INVALID_AUTH',
    message: 'the credentials are wrong, or this identity may not log in with them now: check them, or ask an administrator',
  },
};

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const APIS = { management: '', client: '/edge/client/v1' } as const;
const login = (app: App, body: unknown, query = '?method=password') => app.request('POST', `/authenticate${query}`, { as: null, body });

onEveryStore('login by password', (open) => {
  test(
    'a login answers with the session, its token and its end, on both APIs',
    proves(33, 35, 37, 40, 41, 42, 43, 44, 45, 359, 423),
    async () => {
      await using app = await open();
      const user = await app.user();
      for (const prefix of Object.values(APIS)) {
        const { status, headers, body } = await app.request('POST', `${prefix}/authenticate?method=password`, {
          as: null,
          body: { username: user.username, password: PASSWORD },
        });
        const { id, token, createdAt, updatedAt, identity, ...fields } = body.data;
        assert.equal(status, 200);
        assert.match(token, UUID);
        assert.equal(headers['zt-session'], token);
        assert.deepEqual([identity.entity, identity.id, identity.name], ['identities', user.id, user.username]);
        assert.equal(createdAt, updatedAt);
        assert.deepEqual(fields, {
          _links: { self: { href: `./api-sessions/${id}` }, sessions: { href: `./api-sessions/${id}/sessions` } },
          tags: {},
          identityId: user.id,
          authenticatorId: user.authenticatorId,
          ipAddress: '127.0.0.1',
          configTypes: [],
          authQueries: [],
          isMfaRequired: false,
          isMfaComplete: false,
          isCertExtendable: false,
          lastActivityAt: '2026-11-21T10:00:00.000Z',
          cachedLastActivityAt: '2026-11-21T10:00:00.000Z',
          expirationSeconds: 1800,
          expiresAt: '2026-11-21T10:30:00.000Z',
        });
      }
    },
  );

  test('the current session is what the login answered, on both APIs, whichever it was made on', proves(45, 354, 423), async () => {
    await using app = await open();
    const user = await app.user();
    for (const prefix of Object.values(APIS)) {
      const made = (
        await app.request('POST', `${prefix}/authenticate?method=password`, {
          as: null,
          body: { username: user.username, password: PASSWORD },
        })
      ).body.data;
      for (const other of Object.values(APIS)) {
        const { headers, body } = await app.request('GET', `${other}/current-api-session`, { as: made.token });
        assert.deepEqual(body.data, made);
        assert.deepEqual([body.data.expirationSeconds, body.data.expiresAt], [1800, '2026-11-21T10:30:00.000Z']);
        assert.equal(headers['expiration-seconds'], '1800');
        assert.equal(headers['expires-at'], '2026-11-21T10:30:00.000Z');
      }
    }
  });

  test('every failure gets the same answer, whatever the reason', proves(51, 359), async () => {
    await using app = await open();
    const closed = await app.create('/auth-policies', policyBody('closed', { updb: { allowed: false } }));
    const [user, disabled, shut] = [await app.user(), await app.user(), await app.user({ authPolicyId: closed })];
    await app.request('POST', `/identities/${disabled.id}/disable`, { body: { durationMinutes: 0 } });
    const answers = [
      await app.login(user.username, 'a wrong password'),
      await app.login('nobody at all', PASSWORD),
      await app.login(user.username.toUpperCase(), PASSWORD),
      await app.login(user.username, `${PASSWORD} `),
      await app.login(` ${user.username}`, PASSWORD),
      await app.login(disabled.username, PASSWORD),
      await app.login(shut.username, PASSWORD),
      await login(app, {}, '?method=cert'),
      await login(app, undefined, '?method=ext-jwt'),
    ];
    for (const { status, headers, body } of answers) {
      const { requestId, ...error } = body.error;
      assert.equal(status, 401);
      assert.deepEqual(error, REFUSED);
      assert.equal(headers['zt-session'], undefined);
    }
    assert.equal((await app.rows('apiSession')).length, 1);
  });

  test('username and password have their limits at the login too', proves(358, 424, 459, 461), async () => {
    await using app = await open();
    const good = { username: 'somebody', password: PASSWORD };
    for (const username of ['abc', 'a'.repeat(101)]) assertInvalid(await login(app, { ...good, username }), 'username');
    for (const password of ['abcd', 'a'.repeat(101)]) assertInvalid(await login(app, { ...good, password }), 'password');
    for (const username of ['abcd', 'é'.repeat(100), '😀'.repeat(100)])
      for (const password of ['abcde', 'é'.repeat(100), '😀'.repeat(100)])
        assertRefused(await login(app, { username, password }), 401, 'INVALID_AUTH');
    assertRefused(await login(app, { ...good, username: 12345 }), 400, 'COULD_NOT_PARSE_BODY');
    assertRefused(await app.request('POST', '/authenticate?method=password', { as: null, raw: '{' }), 400, 'COULD_NOT_PARSE_BODY');
  });

  test('a login without username or password is not valid', proves(359), async () => {
    await using app = await open();
    for (const body of [{}, { username: 'admin' }, { password: PASSWORD }, { username: 'admin', password: null }, undefined]) {
      const refused = await login(app, body);
      assertRefused(refused, 400, 'COULD_NOT_VALIDATE');
      assert.equal(refused.body.error.cause.field, undefined);
    }
  });

  test('the method of a login is needed, and one of password, cert and ext-jwt', proves(355), async () => {
    await using app = await open();
    for (const query of ['', '?method=', '?method=magic', '?method=Password', '?Method=password'])
      assertInvalid(await login(app, { username: 'admin', password: PASSWORD }, query), 'method');
    assertRefused(await app.request('GET', '/authenticate?method=password'), 405, 'METHOD_NOT_ALLOWED');
  });

  test('what a client tells about itself replaces what it told before, each part as a whole', proves(119, 120, 357), async () => {
    await using app = await open();
    const user = await app.user();
    const tell = async (more: object) => {
      assert.equal((await login(app, { username: user.username, password: PASSWORD, ...more })).status, 200);
      const { envInfo, sdkInfo } = (await app.request('GET', `/identities/${user.id}`)).body.data;
      return { envInfo, sdkInfo };
    };
    const envInfo = { arch: 'x86', domain: 'd', hostname: 'h', os: 'linux', osRelease: '6', osVersion: '#1' };
    const sdkInfo = { appId: 'app', appVersion: '1.2', branch: 'main', revision: 'abc', type: 'sdk', version: '9' };
    assert.deepEqual(await tell({}), { envInfo: {}, sdkInfo: {} });
    assert.deepEqual(await tell({ envInfo, sdkInfo }), { envInfo, sdkInfo });
    assert.deepEqual(await tell({}), { envInfo, sdkInfo });
    assert.deepEqual(await tell({ envInfo: { os: 'windows' }, colour: 'red' }), { envInfo: { os: 'windows' }, sdkInfo });
  });

  test('facts about the client have their limits', proves(357), async () => {
    await using app = await open();
    const user = await app.user();
    const tell = (more: object) => login(app, { username: user.username, password: PASSWORD, ...more });
    for (const key of ['arch', 'os', 'osRelease', 'osVersion'])
      assertInvalid(await tell({ envInfo: { [key]: 'a'.repeat(256) } }), `envInfo.${key}`);
    for (const key of ['domain', 'hostname']) assertInvalid(await tell({ envInfo: { [key]: 'a'.repeat(254) } }), `envInfo.${key}`);
    for (const key of ['appId', 'appVersion', 'branch', 'revision', 'type', 'version'])
      assertInvalid(await tell({ sdkInfo: { [key]: 'a'.repeat(256) } }), `sdkInfo.${key}`);
    assertRefused(await tell({ envInfo: 'linux' }), 400, 'COULD_NOT_PARSE_BODY');
    assert.equal((await tell({ envInfo: { arch: 'a'.repeat(255), hostname: 'a'.repeat(253) } })).status, 200);
  });

  test('a session keeps the config types it asks for: by id or name, unknown ones dropped, all for all', proves(39, 356), async () => {
    await using app = await open();
    const user = await app.user();
    const [a, b] = [await app.create('/config-types', { name: 'type a' }), await app.create('/config-types', { name: 'type b' })];
    const ask = async (configTypes: unknown) =>
      (await login(app, { username: user.username, password: PASSWORD, configTypes })).body.data?.configTypes;
    assert.deepEqual(await ask(['type a', b, 'type a', a, 'no-such-type']), [a, b].toSorted());
    for (const byName of ['type a', 'type b']) assert.equal((await ask([byName])).length, 1, byName);
    assert.deepEqual(await ask(['no-such-type']), []);
    assert.deepEqual(await ask(['type a', 'all']), ['all']);
    assert.deepEqual(await ask([]), []);
    assert.deepEqual(await ask(null), []);
    assertRefused(await login(app, { username: user.username, password: PASSWORD, configTypes: 'all' }), 400, 'COULD_NOT_PARSE_BODY');
  });

  test('a policy that no longer allows passwords stops new logins, not running sessions', proves(51, 429), async () => {
    await using app = await open();
    const authPolicyId = await app.create('/auth-policies', policyBody('strict'));
    const user = await app.user({ authPolicyId });
    const as = await user.login();
    await app.request('PATCH', `/auth-policies/${authPolicyId}`, { body: { primary: { updb: { allowed: false } } } });
    assertRefused(await app.login(user.username, PASSWORD), 401, 'INVALID_AUTH');
    assert.equal((await app.request('GET', '/current-identity', { as })).status, 200);
    await app.request('PATCH', `/identities/${user.id}`, { body: { authPolicyId: 'default' } });
    assert.equal((await app.login(user.username, PASSWORD)).status, 200);
  });
});
