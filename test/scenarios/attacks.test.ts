import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { onEveryStore, PASSWORD } from '../support/app.ts';
import { list } from '../support/lists.ts';
import { policyBody } from '../support/policies.ts';

const ann = { name: 'ann', type: 'User', isAdmin: false } as const;

/** Fields that only the controller may set, as an attacker would send them. */
const FORBIDDEN = {
  id: 'an-id-of-my-own',
  version: 99,
  createdAt: '2000-01-01T00:00:00.000Z',
  updatedAt: '2000-01-01T00:00:00.000Z',
  isSystem: true,
  isDefaultAdmin: true,
  isMfaEnabled: true,
  hasApiSession: true,
  typeId: 'Router',
  disabled: true,
  disabledAt: '2000-01-01T00:00:00.000Z',
  disabledUntil: '9999-01-01T00:00:00.000Z',
  envInfo: { os: 'mine' },
  sdkInfo: { version: 'mine' },
  authenticators: { updb: { id: 'x', username: 'mine' } },
  passwordHash: 'mine',
  tokenHash: 'mine',
  failedAttempts: -1000,
  fingerprint: 'mine',
  isIssuedByNetwork: true,
  isExtendRequested: true,
  extendRequestedAt: '2000-01-01T00:00:00.000Z',
  lastActivityAt: '9999-01-01T00:00:00.000Z',
  revision: 1,
  externalJwtSigners: ['mine'],
};
/** The same with a name that reaches for prototypes; `__proto__` itself is refused (test/security/keys-named-proto.test.ts). */
const hostile = (body: object) =>
  JSON.stringify({ ...FORBIDDEN, ...body, constructor: { prototype: { isAdmin: true, isDefaultAdmin: true } } });

onEveryStore('attacks', (open) => {
  test('no body sets what only the controller may set: identities', proves(111, 119, 120, 125, 126), async () => {
    await using app = await open();
    const [plain] = [await app.create('/identities', ann)];
    const [expected] = (await app.rows('identity')).filter(({ id }) => id === plain);
    const { id } = (await app.request('POST', '/identities', { raw: hostile({ ...ann, name: 'bob' }) })).body.data;
    const row = async () => (await app.rows('identity')).find((each) => each.id === id) ?? assert.fail('no such row');
    const own = ['id', 'version', 'name', 'createdAt', 'updatedAt'];
    const others = (of: object) => Object.fromEntries(Object.entries(of).filter(([key]) => !own.includes(key)));
    assert.deepEqual(others(await row()), others(expected ?? {}));
    await app.request('PUT', `/identities/${id}`, { raw: hostile({ ...ann, name: 'bob' }) });
    await app.request('PATCH', `/identities/${id}`, { raw: hostile({ name: 'bob' }) });
    assert.deepEqual(others(await row()), others(expected ?? {}));
    assert.match((await row()).createdAt, /^2026-11-21/);
    assert.equal(({} as { isAdmin?: unknown }).isAdmin, undefined);
  });

  test('no body sets what only the controller may set: authenticators, by administrators or by their owners', async () => {
    await using app = await open();
    const user = await app.user();
    const as = await user.login();
    const other = await app.create('/identities', { ...ann, name: 'other' });
    const { id } = (
      await app.request('POST', '/authenticators', {
        raw: hostile({ identityId: other, method: 'updb', username: 'other', password: PASSWORD }),
      })
    ).body.data;
    await app.request('PATCH', `/current-identity/authenticators/${user.authenticatorId}`, {
      as,
      raw: hostile({ identityId: other, method: 'cert', tags: { a: 'b' }, currentPassword: PASSWORD }),
    });
    await app.request('PUT', `/authenticators/${user.authenticatorId}`, {
      raw: hostile({ identityId: other, method: 'cert', username: user.username, password: PASSWORD }),
    });
    const rows = await app.rows('authenticator');
    for (const [rowId, identityId] of [
      [id, other],
      [user.authenticatorId, user.id],
    ] as const) {
      const { passwordHash, failedAttempts, ...row } = rows.find((each) => each.id === rowId) ?? assert.fail(`no row ${rowId}`);
      assert.deepEqual(
        [row.identityId, row.method, failedAttempts, row.fingerprint ?? null, row.isIssuedByNetwork],
        [identityId, 'updb', 0, null, false],
      );
      assert.notEqual(passwordHash, 'mine');
    }
    assert.equal((await app.login('other', PASSWORD)).status, 200);
  });

  test('no body sets what only the controller may set: policies, config types, configs', async () => {
    await using app = await open();
    const configTypeId = await app.create('/config-types', { name: 'the type' });
    const bodies = {
      authPolicy: ['/auth-policies', policyBody('mine')],
      configType: ['/config-types', { name: 'mine' }],
      config: ['/configs', { name: 'mine', configTypeId, data: {} }],
    } as const;
    for (const [kind, [collection, body]] of Object.entries(bodies)) {
      const { id } = (await app.request('POST', collection, { raw: hostile(body) })).body.data;
      await app.request('PUT', `${collection}/${id}`, { raw: hostile(body) });
      const row = (await app.rows(kind as keyof typeof bodies)).find((each) => each.id === id) ?? assert.fail(kind);
      const known = new Set([
        'id',
        'version',
        'createdAt',
        'updatedAt',
        'tags',
        ...Object.keys(body),
        'schema',
        'target',
        'externalJwtSigners',
      ]);
      assert.deepEqual(
        Object.keys(row).filter((key) => !known.has(key)),
        [],
        kind,
      );
      assert.deepEqual(row.externalJwtSigners ?? [], []);
      assert.notEqual(row.version, 99);
    }
    const policy = policyBody('nested');
    const id = await app.create('/auth-policies', {
      ...policy,
      primary: { ...policy.primary, root: true, updb: { ...policy.primary.updb, bypass: true } },
    });
    assert.deepEqual((await app.request('GET', `/auth-policies/${id}`)).body.data.primary, policy.primary);
  });

  test('a login never takes up a session that the request brought along', async () => {
    await using app = await open();
    const user = await app.user();
    const fixed = '4fa5b8f0-0d7d-4f5d-a7b5-0f0f0f0f0f0f';
    const body = {
      username: user.username,
      password: PASSWORD,
      token: fixed,
      id: 'my-own-id',
      sessionId: fixed,
      tokenHash: 'mine',
      identityId: 'x',
      isMfaComplete: true,
    };
    const tokens = new Set<string>();
    for (const headers of [{ 'zt-session': fixed }, { 'zt-session': app.admin }, { cookie: `zt-session=${fixed}` }]) {
      const { data } = (await app.request('POST', '/authenticate?method=password&token=x', { as: null, headers, body })).body;
      assert.deepEqual([data.identityId, data.isMfaComplete], [user.id, false]);
      assert.notEqual(data.id, 'my-own-id');
      tokens.add(data.token);
    }
    assert.equal(tokens.size, 3);
    assert.ok(!tokens.has(fixed) && !tokens.has(app.admin));
    assert.equal((await app.request('GET', '/current-identity', { as: fixed })).status, 401);
  });

  test('no spelling of a path, no header and no parameter gives a user the rights of an administrator', async () => {
    await using app = await open();
    const user = await app.user();
    const as = await user.login();
    const administrator = (await app.request('GET', '/current-identity')).body.data.id;
    const paths = [
      '/identities',
      '//identities/',
      '/%69dentities',
      '/current-identity/../identities',
      '/./identities',
      '/identities?zt-session=x&isAdmin=true',
      `/identities/${administrator}`,
    ];
    const headers = [
      {},
      {
        'x-forwarded-user': administrator,
        'x-identity-id': administrator,
        'x-http-method-override': 'GET',
        'x-original-url': '/version',
        authorization: 'Bearer system',
        forwarded: 'for=127.0.0.1',
        host: 'localhost',
      },
    ];
    for (const path of paths)
      for (const extra of headers) assert.equal((await app.request('GET', path, { as, headers: extra })).status, 401, path);
    for (const path of ['/IDENTITIES', '/identities;/', '/identities%2f..'])
      assert.ok([401, 404].includes((await app.request('GET', path, { as })).status), path);
  });

  test('lists show a user nothing but its own, whatever the filter says', proves(437), async () => {
    await using app = await open();
    const [user, other] = [await app.user(), await app.user()];
    const as = await user.login();
    const filters = [
      'true limit none',
      'true or true limit none',
      `id = "${other.authenticatorId}" or true`,
      `identity = "${other.id}" or identity != "x" limit none`,
      'not false sort by identity desc',
      'updbUsername != "x" or method = "updb"',
    ];
    for (const filter of filters) {
      for (const api of ['', '/edge/client/v1']) {
        const { data } = (await list(app, `${api}/current-identity/authenticators`, { filter, limit: -1 }, { as })).body;
        assert.deepEqual(
          data.map(({ id }: { id: string }) => id),
          [user.authenticatorId],
          filter,
        );
      }
      for (const path of [
        '/identities',
        '/authenticators',
        '/api-sessions',
        '/auth-policies',
        '/configs',
        '/config-types',
        '/identity-role-attributes',
        `/identities/${user.id}/authenticators`,
      ]) {
        assert.equal((await list(app, path, { filter: 'true limit none' }, { as })).status, 401, path);
      }
    }
  });
});
