/** An API token must be good for the management API alone, and what is good elsewhere must not pass for an API token. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { giveToken, statusAs } from '../support/api-tokens.ts';
import { onEveryStore } from '../support/app.ts';
import { tokensOf } from '../support/oidc.ts';

onEveryStore('an API token at another door', (open) => {
  test('opens no client API, no login, and nothing at the OpenID provider', async () => {
    await using app = await open();
    const admin = await app.user({ isAdmin: true });
    const { secret } = await giveToken(app, admin.id, { isAdmin: true });
    for (const headers of [{ 'zt-session': secret }, { authorization: `Bearer ${secret}` }]) {
      const request = (method: string, path: string, body?: unknown) => app.request(method, path, { as: null, headers, body });
      for (const [method, path, body] of [
        ['GET', '/edge/client/v1/current-identity'],
        ['GET', '/edge/client/v1/current-api-session'],
        ['GET', '/edge/client/v1/services'],
        ['GET', '/edge/v1/services'],
        ['POST', '/edge/client/v1/sessions', { serviceId: 'none' }],
        ['POST', '/authenticate?method=ext-jwt', {}],
        ['GET', '/oidc/userinfo'],
      ] as const)
        assert.equal((await request(method, path, body)).status, 401, `${method} ${path}`);
    }
    assert.equal(await app.count('apiSession'), 1, "the administrator's alone");
  });

  test('does not count as a second factor, nor beside another credential', async () => {
    await using app = await open();
    const admin = await app.user({ isAdmin: true });
    const person = await app.user();
    const { secret } = await giveToken(app, admin.id, { isAdmin: true });
    const as = await person.login();
    const { access_token: access } = await tokensOf(app, person.username);
    for (const headers of [
      { 'zt-session': as, authorization: `Bearer ${secret}` },
      { 'zt-session': 'unknown', authorization: `Bearer ${secret}` },
      { authorization: `Bearer ${access}, Bearer ${secret}` },
      { authorization: `Bearer ${secret}, Bearer ${access}` },
      { authorization: `Basic ${secret}` },
      { authorization: secret },
    ])
      assert.equal((await app.request('GET', '/identities', { as: null, headers })).status, 401, JSON.stringify(headers));
  });

  test('and ids, hashes and secrets of other kinds are not API tokens', async () => {
    await using app = await open();
    const admin = await app.user({ isAdmin: true });
    const { id, secret } = await giveToken(app, admin.id, { isAdmin: true });
    const [row] = await app.rows('apiToken');
    const others = [
      id,
      `oct_${id}`,
      String(row?.secretHash),
      `oct_${row?.secretHash}`,
      secret.slice(4),
      secret.toLowerCase(),
      `${secret} `,
      `x${secret}`,
    ];
    for (const text of others) assert.equal(await statusAs(app, text), 401, text);
  });
});
