import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { onEveryStore, PASSWORD } from '../support/app.ts';
import { list } from '../support/lists.ts';

onEveryStore('attacks', (open) => {
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
      const everyPath = [
        '/identities',
        '/authenticators',
        '/api-sessions',
        '/auth-policies',
        '/configs',
        '/config-types',
        '/identity-role-attributes',
        `/identities/${user.id}/authenticators`,
      ];
      for (const path of everyPath) {
        assert.equal((await list(app, path, { filter: 'true limit none' }, { as })).status, 401, path);
      }
    }
  });
});
