import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryDatabase, memoryStorage } from '../../adapters/storage/memory/index.ts';
import { openOverlays } from '../../src/controller/tenants/index.ts';
import { ApiError, type ControllerOptions, ManagementController } from '../../src/index.ts';
import { fastPasswordHasher } from '../../src/runtime/platform/testing.ts';
import { webPlatform } from '../../src/runtime/platform/web.ts';
import { SECRET_KEY } from '../support/app.ts';

type Options = Partial<ControllerOptions> & { readonly address?: string };

const platform = webPlatform({
  passwords: fastPasswordHasher(),
  logger: { error: () => undefined, warn: () => undefined, info: () => undefined },
});

const open = ({ address = 'https://gw.example', ...options }: Options = {}): Promise<ManagementController> =>
  ManagementController.open({
    storage: memoryStorage(),
    platform,
    settings: { address },
    oidc: true,
    ...options,
  });

/** A request as an adapter passes it on. */
const ask = async (
  { handle }: Pick<ManagementController, 'handle'>,
  target: string,
  { mount, host = 'gw.example', method = 'GET', headers = {}, body = '' }: Asking = {},
) => {
  const known: Readonly<Record<string, string>> = { host, ...headers };
  const answer = await handle({
    method,
    target,
    header: (name) => known[name],
    body: async () => new TextEncoder().encode(body),
    ...(mount === undefined ? {} : { mount }),
  });
  return { ...answer, text: String(answer.body) };
};
interface Asking {
  readonly mount?: string;
  readonly host?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Addresses and path of the management API in the version information. */
const managementIn = (text: string) => {
  const { apiBaseUrls, path } = JSON.parse(text).data.apiVersions['edge-management'].v1;
  return [apiBaseUrls, path];
};
const discovered = async (controller: Pick<ManagementController, 'handle'>, asking?: Asking) =>
  JSON.parse((await ask(controller, '/oidc/.well-known/openid-configuration', asking)).text);

const M = '/edge/management/v1';
const E = '/edge/management/extensions/v1';

test('the version information has the addresses at which the APIs are, below a mount and below the path of a gateway', async () => {
  const [plain, behind] = [await open(), await open({ address: 'https://gw.example/net' })];
  const cases: readonly (readonly [ManagementController, Asking, unknown])[] = [
    [plain, {}, [[`https://gw.example${M}`], M]],
    [plain, { mount: '/overlay' }, [[`https://gw.example/overlay${M}`], `/overlay${M}`]],
    [plain, { mount: '/overlay', host: 'GW.example:443' }, [[`https://gw.example/overlay${M}`], `/overlay${M}`]],
    // The mount is at another host, and may be elsewhere at this one.
    [plain, { mount: '/overlay', host: 'inside:8080' }, [[], `/overlay${M}`]],
    [plain, { host: 'inside:8080' }, [[`https://gw.example${M}`], M]],
    [behind, {}, [[`https://gw.example/net${M}`], `/net${M}`]],
    [behind, { host: 'inside:8080', mount: '/overlay' }, [[`https://gw.example/net${M}`], `/net${M}`]],
    // What is no path is not repeated.
    [plain, { mount: '//evil.example' }, [[`https://gw.example${M}`], M]],
    [plain, { mount: '/a"b' }, [[`https://gw.example${M}`], M]],
  ];
  for (const [controller, asking, expected] of cases) {
    const target = asking.mount === undefined ? `${M}/version` : '/version';
    assert.deepEqual(managementIn((await ask(controller, target, asking)).text), expected, JSON.stringify(asking));
  }
  const inProcess = await behind.api.informational.version();
  assert.deepEqual(inProcess.apiVersions['edge-client']?.v1?.apiBaseUrls, ['https://gw.example/net/edge/client/v1']);
  await Promise.all([plain.close(), behind.close()]);
});

test('the documents of the APIs say where these are', async () => {
  const [plain, behind] = [await open(), await open({ address: 'https://gw.example/net' })];
  for (const [controller, asking, server, place] of [
    [plain, {}, 'https://gw.example', { host: 'gw.example', basePath: M }],
    [plain, { mount: '/overlay' }, 'https://gw.example/overlay', { host: 'gw.example', basePath: `/overlay${M}` }],
    [plain, { mount: '/overlay', host: 'inside' }, '/overlay', { host: undefined, basePath: `/overlay${M}` }],
    [behind, {}, 'https://gw.example/net', { host: 'gw.example', basePath: `/net${M}` }],
  ] as const) {
    const { servers } = JSON.parse((await ask(controller, `${E}/openapi.json`, asking)).text);
    assert.deepEqual(servers, [{ url: server }]);
    const { host, basePath } = JSON.parse((await ask(controller, '/specs/edge-management/spec', asking)).text);
    assert.deepEqual({ host, basePath }, place);
  }
  await Promise.all([plain.close(), behind.close()]);
});

test('the issuer has the path, and so have its endpoints', async () => {
  const [plain, behind] = [await open(), await open({ address: 'https://gw.example/net' })];
  for (const [controller, asking, issuer] of [
    [plain, {}, 'https://gw.example/oidc'],
    [plain, { mount: '/overlay' }, 'https://gw.example/overlay/oidc'],
    [behind, {}, 'https://gw.example/net/oidc'],
    [behind, { mount: '/overlay' }, 'https://gw.example/net/oidc'],
  ] as const) {
    const { openziti_endpoints: steps, ...document } = await discovered(controller, asking);
    assert.equal(document.issuer, issuer);
    const endpoints = Object.entries({ ...document, ...steps }).filter(([, value]) => /^https?:/.test(String(value)));
    assert.ok(endpoints.length > 10);
    for (const [name, address] of endpoints) assert.ok(String(address).startsWith(issuer), `${name}: ${address}`);
  }
  await Promise.all([plain.close(), behind.close()]);
});

test('a login on pages goes all its way below the path, and its tokens are of the issuer', async () => {
  const controller = await open({ administrator: { password: 'a-good-password' } });
  const mount = '/overlay';
  const { createHash } = await import('node:crypto');
  const verifier = 'v'.repeat(43);
  const code_challenge = createHash('sha256').update(verifier).digest('base64url');
  const redirect_uri = 'http://localhost:1234/auth/callback';
  const common = { client_id: 'openziti', redirect_uri };
  const query = new URLSearchParams({ ...common, scope: 'openid', response_type: 'code', code_challenge, code_challenge_method: 'S256' });
  /** As a proxy or framework does: the path is taken off. */
  const follow = (location: unknown, asking: Asking = {}) => {
    const url = new URL(String(location));
    assert.equal(`${url.origin}${url.pathname.slice(0, mount.length)}`, `https://gw.example${mount}`);
    return ask(controller, `${url.pathname.slice(mount.length)}${url.search}`, { mount, ...asking });
  };
  const accept = 'text/html';
  const page = await follow((await ask(controller, `/oidc/authorize?${query}`, { mount, headers: { accept } })).headers.location, {
    headers: { accept },
  });
  const [, action = ''] = /<form method="POST" action="([^"]+)"/.exec(page.text) ?? [];
  const [, id = ''] = /name="id" value="([^"]+)"/.exec(page.text) ?? [];
  assert.equal(action, '/overlay/oidc/login/username');
  assert.ok([...page.text.matchAll(/(?:href|action)="(?!data:)([^"]+)"/g)].every(([, path = '']) => path.startsWith('/overlay/oidc/')));
  const cookie = String(page.headers['set-cookie']).split(';', 1)[0] ?? '';
  const headers = { accept, cookie, origin: 'https://gw.example', 'content-type': 'application/x-www-form-urlencoded' };
  const body = String(new URLSearchParams({ id, username: 'admin', password: 'a-good-password' }));
  const passed = await follow(`https://gw.example${action}`, { method: 'POST', headers, body });
  assert.equal(passed.status, 302);
  const back = await follow(passed.headers.location, { headers: { accept, cookie } });
  const code = new URL(String(back.headers.location)).searchParams.get('code') ?? '';
  const grant = String(new URLSearchParams({ ...common, grant_type: 'authorization_code', code, code_verifier: verifier }));
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const { access_token: token } = JSON.parse(
    (await ask(controller, '/oidc/oauth/token', { mount, method: 'POST', headers: form, body: grant })).text,
  );
  assert.equal(JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString()).iss, 'https://gw.example/overlay/oidc');
  const asAdmin = { authorization: `Bearer ${token}` };
  for (const path of ['/oidc/userinfo', `${M}/current-identity`])
    assert.equal((await ask(controller, path, { mount, headers: asAdmin })).status, 200, path);
  await controller.close();
});

test('what leads devices and routers to the controller is refused with an address below a path, and all else works', async () => {
  const controller = await open({ address: 'https://gw.example/net', member: { name: 'one' } });
  const identity = { name: 'lift', type: 'Device', isAdmin: false } as const;
  for (const make of [
    () => controller.api.identities.create({ body: { ...identity, enrollment: { ott: true } } }),
    () => controller.api.edgeRouters.create({ body: { name: 'paris' } }),
    () => controller.api.trust.listNetworkJwts(),
  ])
    await assert.rejects(make, (error) => {
      assert.ok(error instanceof ApiError && error.code === 'NOT_CONFIGURED');
      assert.match(
        error.cause.message,
        /clients cannot enroll below a path, and settings\.address is https:\/\/gw\.example\/net: also mount the controller at the root/,
      );
      return true;
    });
  await controller.api.identities.create({ body: identity });
  const [{ apiAddresses, ctrlAddress } = assert.fail()] = (await controller.api.controllers.list()).data;
  assert.equal(apiAddresses['edge-management']?.[0]?.url, `https://gw.example/net${M}`);
  assert.equal(ctrlAddress ?? null, null);
  await controller.close();
});

test('a tenant that is chosen by its path has that path in its addresses, below the mount of all tenants', async () => {
  const database = memoryDatabase();
  const overlays = await openOverlays({
    storage: (namespace) => memoryStorage({ database, namespace }),
    secretKey: SECRET_KEY,
    platform,
    oidc: true,
    settings: { address: 'https://gw.example' },
    each: ({ name }) => (name === 'bravo' ? { settings: { address: 'https://gw.example/net/bravo' } } : {}),
  });
  for (const name of ['acme', 'bravo']) await overlays.create({ name });
  const handling = overlays.handling(({ path }) => {
    const name = path.split('/')[1] ?? '';
    return { name, mount: `/${name}` };
  });
  for (const [name, mount, base] of [
    ['acme', '', '/acme'],
    ['acme', '/networks', '/networks/acme'],
    ['bravo', '/networks', '/net/bravo'],
  ] as const) {
    const path = `${base}${M}`;
    assert.deepEqual(managementIn((await ask(handling, `/${name}/version`, { mount })).text), [[`https://gw.example${path}`], path]);
    const { issuer } = JSON.parse((await ask(handling, `/${name}/oidc/.well-known/openid-configuration`, { mount })).text);
    assert.equal(issuer, `https://gw.example${base}/oidc`);
  }
  await overlays.close();
});

test('an address is refused that has more than a path', async () => {
  for (const address of [
    'https://gw/net/',
    'https://gw/',
    'https://gw//net',
    'https://gw/net?x',
    'https://gw/net#x',
    'https://gw?x',
    'gw/net',
    'https://',
    'https://ann:the-secret@gw',
  ])
    await assert.rejects(
      open({ address }),
      { name: 'TypeError', message: /^setting address must be like https:\/\/host:port or https:\/\/host\/path(?!.*the-secret)/ },
      address,
    );
});
