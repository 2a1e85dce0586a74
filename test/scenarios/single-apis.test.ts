import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fetchHandler } from '../../adapters/http/fetch.ts';
import { surfaces } from '../../src/index.ts';
import { onEveryStore } from '../support/app.ts';

onEveryStore('an API on its own', (open) => {
  test('is mounted without the others, over the same network', async () => {
    await using app = await open();
    const user = await app.user();
    const ask = async (handle: ReturnType<typeof fetchHandler>, path: string, token = app.admin) =>
      (await handle(new Request(`https://controller.test${path}`, { headers: { 'zt-session': token } }))).status;
    const [devices, administrators] = [
      fetchHandler(app.controller.only('client')),
      fetchHandler(app.controller.only('management', 'extensions')),
    ];
    assert.equal(await ask(devices, '/edge/client/v1/current-identity', await user.login()), 200);
    assert.equal(await ask(devices, '/version'), 200);
    for (const path of ['/edge/management/v1/identities', '/edge/management/extensions/v1/openapi.json']) {
      assert.equal(await ask(devices, path), 404, path);
      assert.equal(await ask(administrators, path), 200, path);
    }
    assert.equal(await ask(administrators, '/edge/client/v1/current-identity'), 404);
    const byValue = fetchHandler(app.controller.only(surfaces.client));
    assert.equal(await ask(byValue, '/version'), 200);
    assert.equal(await ask(byValue, '/edge/management/v1/identities'), 404);
  });
});
