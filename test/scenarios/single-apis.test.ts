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

  test('lists among the APIs, capabilities and documents only those that are mounted', async () => {
    await using app = await open();
    const NAMES = ['client', 'management', 'extensions', 'fabric', 'oidc'] as const;
    for (const mounted of [
      ['client'],
      ['management', 'extensions'],
      ['client', 'oidc', 'oidcLogin'],
      ['client', 'fabric'],
      NAMES,
    ] as const) {
      const handle = fetchHandler(app.controller.only(...mounted));
      const get = async (path: string) => {
        const answer = await handle(new Request(`https://controller.test${path}`));
        // biome-ignore lint/suspicious/noExplicitAny: the bodies differ
        return { status: answer.status, body: (await answer.json()) as any };
      };
      const at = mounted[0] === 'client' ? '/edge/client/v1' : '/edge/management/v1';
      const { apiVersions, capabilities } = (await get(`${at}/version`)).body.data;
      const has = (name: string) => mounted.some((each) => each === name);
      const expected = [
        ...(has('client') ? ['edge', 'edge-client'] : []),
        ...(has('management') ? ['edge-management'] : []),
        ...(has('fabric') ? ['fabric'] : []),
        ...(has('oidc') ? ['edge-oidc'] : []),
      ];
      assert.deepEqual([Object.keys(apiVersions).toSorted(), capabilities.length > 0], [expected.toSorted(), has('oidc')]);
      for (const { v1 } of Object.values<{ v1: { path: string } }>(apiVersions)) {
        const path = v1.path === '/oidc' ? '/oidc/.well-known/openid-configuration' : `${v1.path}/version`;
        if (!v1.path.startsWith('/fabric')) assert.equal((await get(path)).status, 200, path);
      }
      const specs = expected.filter((name) => ['edge-client', 'edge-management'].includes(name));
      assert.deepEqual(
        (await get(`${at}/specs`)).body.data.map(({ id }: { id: string }) => id),
        specs,
      );
      for (const name of ['edge-client', 'edge-management'])
        assert.equal((await get(`${at}/specs/${name}/spec`)).status, specs.includes(name) ? 200 : 404, name);
      if (!has('extensions')) continue;
      const prefixes = Object.keys((await get('/edge/management/extensions/v1/openapi.json')).body.paths).map(
        (path) => path.split('/v1')[0],
      );
      assert.equal(prefixes.includes('/edge/client'), has('client'));
      assert.ok(prefixes.includes('/edge/management/extensions'));
    }
  });
});
