/** The console without a browser: its files, their headers, and the login for it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fetchHandler } from '../../adapters/http/fetch.ts';
import { memoryStorage } from '../../adapters/storage/memory/index.ts';
import { type ConsoleOptions, consoleHandler } from '../../console/index.ts';
import { ManagementController } from '../../src/index.ts';
import { pkce } from '../support/oidc.ts';

const ADDRESS = 'https://overlay.example.com';

const open = async (options: ConsoleOptions = {}, consolePath = '/console/') => {
  const controller = await ManagementController.open({ storage: memoryStorage(), settings: { address: ADDRESS }, oidc: { consolePath } });
  const handle = fetchHandler(consoleHandler(controller, options));
  const get = (path: string, init: RequestInit = {}) => handle(new Request(`${ADDRESS}${path}`, init));
  return { controller, get, [Symbol.asyncDispose]: () => controller.close() };
};

describe('the console', () => {
  test('its files come with a policy that allows no inline script, no other site and no frame', async () => {
    await using app = await open();
    for (const [path, type] of [
      ['', 'text/html; charset=utf-8'],
      ['app.js', 'text/javascript; charset=utf-8'],
      ['app.css', 'text/css; charset=utf-8'],
      ['icon.svg', 'image/svg+xml'],
      ['descriptions.json', 'application/json'],
    ]) {
      const { status, headers } = await app.get(`/console/${path}`);
      assert.equal(status, 200, path);
      assert.equal(headers.get('content-type'), type);
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      const policy = headers.get('content-security-policy') ?? '';
      assert.doesNotMatch(policy, /unsafe|https?:|\*/);
      for (const part of [
        "default-src 'none'",
        "script-src 'self'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
      ])
        assert.ok(policy.split('; ').includes(part), part);
    }
  });

  test('the page has no inline script or style, and refers to its own files only', async () => {
    await using app = await open();
    const page = await (await app.get('/console/')).text();
    assert.doesNotMatch(page, /<style|style=|<script(?! type="module" src="app.js">)|\bon\w+=|https?:/);
  });

  test('a file that a browser has is not sent again', async () => {
    await using app = await open();
    const etag = (await app.get('/console/app.js')).headers.get('etag') ?? '';
    const again = await app.get('/console/app.js', { headers: { 'if-none-match': etag } });
    assert.deepEqual([again.status, await again.text()], [304, '']);
  });

  test('the script is at most 122 KiB, compressed', async (t) => {
    await using app = await open();
    const { body } = await app.get('/console/app.js');
    const compressed = await new Response(body?.pipeThrough(new CompressionStream('gzip'))).arrayBuffer();
    t.diagnostic(`${compressed.byteLength} bytes`);
    assert.ok(compressed.byteLength < 124_928, `${compressed.byteLength} bytes`);
  });

  test('other paths are those of the controller, and of the console only its files', async () => {
    await using app = await open();
    assert.equal((await app.get('/edge/management/v1/version')).status, 200);
    assert.equal((await app.get('/consoles')).headers.get('content-security-policy'), null);
    assert.equal((await app.get('/console/../console/nothing')).status, 404);
    assert.equal((await app.get('/console/', { method: 'POST' })).status, 405);
    const folder = await app.get('/console');
    assert.deepEqual([folder.status, folder.headers.get('location')], [308, 'console/']);
  });

  test('the host gives its name and colours, and allows its own origin to frame it; what would break out of the page is text', async () => {
    const name = '</title><script>alert(1)</script>"';
    await using app = await open({
      name,
      colours: { accent: '#7a1f3d' },
      features: { overview: false },
      frameAncestors: ['https://portal.example.com'],
    });
    const page = await app.get('/console/');
    assert.match(page.headers.get('content-security-policy') ?? '', /frame-ancestors https:\/\/portal\.example\.com;/);
    assert.doesNotMatch(await page.text(), /<script>/);
    assert.match(await (await app.get('/console/app.css')).text(), /--accent:#7a1f3d/);
  });

  test('an option with a wrong value is refused with what would be right', () => {
    const controller = { handle: () => assert.fail() };
    const attempts: readonly ConsoleOptions[] = [
      { name: '' },
      { colours: { accent: 'red;}' } },
      { path: '/console/' },
      { frameAncestors: ["https://x.example; script-src 'unsafe-inline'"] },
      { logo: 'x' } as ConsoleOptions, // an option that does not exist
    ];
    for (const options of attempts) assert.throws(() => consoleHandler(controller, options), TypeError);
  });

  test('its login sends the code to its own path at an address of the controller, and nowhere else', async () => {
    await using app = await open();
    const authorize = (redirect_uri: string) =>
      app.get(
        `/oidc/authorize?${new URLSearchParams({ client_id: 'overlay-console', response_type: 'code', scope: 'openid', redirect_uri, code_challenge: pkce().challenge, code_challenge_method: 'S256' })}`,
      );
    assert.equal((await authorize(`${ADDRESS}/console/`)).status, 302);
    for (const other of [
      'https://evil.example/console/',
      `${ADDRESS}/console`,
      `${ADDRESS}/console/x`,
      '/console/',
      `${ADDRESS}.evil.example/console/`,
    ])
      assert.equal((await authorize(other)).status, 400, other);
  });

  test('the path for its logins is checked when the controller opens', async () => {
    for (const consolePath of ['console', '/console', '//evil.example/', '/a/../b/', 'https://evil.example/console/'])
      await assert.rejects(open({}, consolePath), TypeError, consolePath);
    for (const callbackPath of ['auth/callback', '/auth/callback/', '//evil.example', '/a/../b', 'https://evil.example/auth/callback'])
      await assert.rejects(ManagementController.open({ storage: memoryStorage(), oidc: { callbackPath } }), /callbackPath/, callbackPath);
  });
});
