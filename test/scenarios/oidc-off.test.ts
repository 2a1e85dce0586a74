import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fetchHandler } from '../../adapters/http/fetch.ts';
import { openApp } from '../support/app.ts';
import { bearer, tokensOf, withToken } from '../support/oidc.ts';
import { newSharedStorage } from '../support/stores.ts';

test('a controller without the provider does not announce it, and nothing is below /oidc', async () => {
  await using app = await openApp('memory', { oidc: false });
  for (const path of ['/version', '/edge/client/v1/version']) {
    const { capabilities, apiVersions } = (await app.request('GET', path, { as: null })).body.data;
    assert.equal(capabilities.includes('OIDC_AUTH'), false);
    assert.equal(apiVersions['edge-oidc'], undefined);
  }
  const handle = fetchHandler(app.controller);
  for (const path of ['', '/.well-known/openid-configuration', '/keys', '/authorize', '/login/username', '/oauth/token', '/healthz'])
    for (const method of ['GET', 'POST'])
      assert.equal((await handle(new Request(`https://127.0.0.1:1280/oidc${path}`, { method }))).status, 404, path);
});

test('a controller with the provider announces it', async () => {
  await using app = await openApp('memory', { oidc: true });
  const { capabilities, apiVersions } = (await app.request('GET', '/version', { as: null })).body.data;
  assert.ok(capabilities.includes('OIDC_AUTH'));
  assert.deepEqual(apiVersions['edge-oidc'].v1.apiBaseUrls, ['https://127.0.0.1:1280/oidc']);
  assert.equal(apiVersions['edge-oidc'].v1.path, '/oidc');
});

test('tokens of a time when there was a provider are not sessions without it', async () => {
  await using storage = newSharedStorage('memory');
  const before = await openApp('memory', { storage: storage.adapter() });
  const { username } = await before.user();
  const { access_token } = await tokensOf(before, username);
  await before.close();
  await using after = await openApp('memory', { storage: storage.adapter(), oidc: false });
  assert.equal((await withToken(after, access_token)).status, 401);
  assert.equal((await after.request('GET', '/current-identity', { as: access_token, headers: bearer(access_token) })).status, 401);
});
