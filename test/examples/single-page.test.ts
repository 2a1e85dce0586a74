import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { runServer, startServer, temporaryFolder } from './child.ts';

const INDEX = '<!doctype html><base href="/zac/"><title>console</title>';
const SECRET = 'nobody outside may read this';
const HASHED = ['main.3f2a9c8b1d2e4f5a.js', 'chunk-5QX3WZ2L.js', 'styles-DiwrgT4a.css'];
const UNHASHED = ['jquery-validation.js', 'polyfills.js', 'bootstrap-utilities.css', 'data-20240101.json'];

/** A folder with an application, and secrets beside it. */
const application = (t: Parameters<typeof temporaryFolder>[0]) => {
  const folder = temporaryFolder(t);
  const app = join(folder, 'app');
  mkdirSync(join(app, 'assets'), { recursive: true });
  writeFileSync(join(app, 'index.html'), INDEX);
  for (const name of [...HASHED, ...UNHASHED]) writeFileSync(join(app, name), `/* ${name} */`);
  writeFileSync(join(app, 'assets/logo.svg'), '<svg/>');
  writeFileSync(join(app, 'assets/a b.txt'), 'a space');
  writeFileSync(join(app, 'assets/strange.xyz'), '<script>');
  writeFileSync(join(app, 'large.bin'), Buffer.alloc(1_000_000, 'x'));
  writeFileSync(join(app, '.env'), SECRET);
  mkdirSync(join(app, '.git'));
  writeFileSync(join(app, '.git/config'), SECRET);
  writeFileSync(join(folder, 'secret.txt'), SECRET);
  mkdirSync(join(folder, 'app-beside'));
  writeFileSync(join(folder, 'app-beside/secret.txt'), SECRET);
  symlinkSync(join(folder, 'secret.txt'), join(app, 'link.txt'));
  symlinkSync(folder, join(app, 'out'));
  symlinkSync(join(app, 'assets/logo.svg'), join(app, 'inside.svg'));
  return { folder, app };
};

const serving = async (t: Parameters<typeof temporaryFolder>[0]) => {
  const { folder, app } = application(t);
  const { url, said } = await startServer(t, folder, ['--storage', 'memory', '--tls', 'off', '--spa', `/zac=${app}`]);
  /** The path is sent as it is: nothing is normalised on the way. */
  const ask = (path: string, { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {}) =>
    new Promise<{ status: number; headers: http.IncomingHttpHeaders; text: string }>((resolve, reject) => {
      const { hostname, port } = new URL(url);
      http
        .request({ hostname, port, path, method, headers, agent: false }, (answer) => {
          let text = '';
          answer
            .on('data', (part: Buffer) => (text += part))
            .on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
        })
        .on('error', reject)
        .end();
    });
  return { ask, url, said };
};

const navigating = { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } };

test('an application is served beside the APIs: its files with their types, its index for what browsers navigate to', async (t) => {
  const { ask, url, said } = await serving(t);
  assert.match(said, new RegExp(`^application       ${url}/zac/$`, 'm'));
  for (const path of ['/zac/', '/zac/index.html', '/zac/identities', '/zac/identities/some-id?tab=1']) {
    const { status, text, headers } = await ask(path, navigating);
    assert.deepEqual(
      [path, status, text, headers['content-type'], headers['cache-control']],
      [path, 200, INDEX, 'text/html; charset=utf-8', 'no-cache'],
    );
    assert.deepEqual([headers['x-content-type-options'], headers['content-security-policy']], ['nosniff', "frame-ancestors 'self'"]);
  }
  const redirected = await ask('/zac?x=//evil.example');
  assert.deepEqual([redirected.status, redirected.headers.location], [308, '/zac/']);
  const types = {
    '/zac/assets/logo.svg': 'image/svg+xml',
    '/zac/inside.svg': 'image/svg+xml',
    '/zac/assets/a%20b.txt': 'text/plain; charset=utf-8',
    '/zac/assets/strange.xyz': 'application/octet-stream',
    '/zac/main.3f2a9c8b1d2e4f5a.js': 'text/javascript; charset=utf-8',
  };
  for (const [path, type] of Object.entries(types)) {
    const { status, headers } = await ask(path);
    assert.deepEqual([path, status, headers['content-type'], headers['x-content-type-options']], [path, 200, type, 'nosniff']);
  }
  assert.equal((await ask('/edge/management/v1/version')).status, 200, 'the API is where it was');
  assert.equal((await ask('/zacx/')).status, 404);
});

test('what has a hash in its name is kept for a year, all else is asked for again', async (t) => {
  const { ask } = await serving(t);
  for (const name of HASHED)
    assert.equal((await ask(`/zac/${name}`)).headers['cache-control'], 'public, max-age=31536000, immutable', name);
  for (const name of UNHASHED) assert.equal((await ask(`/zac/${name}`)).headers['cache-control'], 'no-cache', name);
  const first = await ask('/zac/polyfills.js');
  const again = await ask('/zac/polyfills.js', { headers: { 'if-none-match': `"other", ${first.headers.etag}` } });
  assert.deepEqual([again.status, again.text, again.headers.etag], [304, '', first.headers.etag]);
});

test('a missing file, or a path that no browser navigates to, does not get the index', async (t) => {
  const { ask } = await serving(t);
  const missing = await ask('/zac/missing.js', navigating);
  assert.equal(missing.headers['content-security-policy'], "frame-ancestors 'self'", 'a refusal is no more open than a page');
  assert.equal(missing.status, 404, 'a script that is HTML would be run as one');
  assert.equal((await ask('/zac/identities')).status, 404);
  assert.equal((await ask('/zac/identities', { headers: { accept: 'application/json' } })).status, 404);
  assert.equal((await ask('/zac/assets', { headers: { accept: '*/*' } })).status, 404, 'folders are not listed');
});

test('only GET and HEAD are answered, and HEAD without a body', async (t) => {
  const { ask } = await serving(t);
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']) {
    const { status, headers } = await ask('/zac/index.html', { method });
    assert.deepEqual([method, status, headers.allow], [method, 405, 'GET, HEAD']);
    assert.equal(headers['referrer-policy'], 'same-origin');
  }
  for (const path of ['/zac/index.html', '/zac/large.bin']) {
    const whole = await ask(path);
    const head = await ask(path, { method: 'HEAD' });
    assert.deepEqual([head.status, head.text, head.headers['content-length']], [200, '', String(whole.text.length)]);
  }
});

test('large files are sent whole, and given up when their client goes away', async (t) => {
  const { ask, url } = await serving(t);
  const { text } = await ask('/zac/large.bin');
  assert.equal(text, 'x'.repeat(1_000_000));
  for (let i = 0; i < 50; i++) {
    const leaving = new AbortController();
    const answer = await fetch(`${url}/zac/large.bin`, { signal: leaving.signal });
    leaving.abort();
    await assert.rejects(answer.arrayBuffer());
  }
  assert.equal((await ask('/zac/')).status, 200);
});

test('no path leads out of the folder, nor to what is hidden in it', async (t) => {
  const { ask } = await serving(t);
  const ups = [
    '..',
    '%2e%2e',
    '.%2e',
    '%2E%2E',
    '..%2f',
    '..%5c',
    '%2e%2e%2f',
    '%2e%2e%5c',
    '%252e%252e',
    '..%00',
    '....//',
    '..;',
    '%c0%ae%c0%ae',
    '%uff0e%uff0e',
  ];
  const paths = [
    ...ups.flatMap((up) => [
      `/zac/${up}/secret.txt`,
      `/zac/assets/${up}/${up}/secret.txt`,
      `/zac/${up}/app-beside/secret.txt`,
      `/zac/${up}secret.txt`,
    ]),
    '/zac//etc/passwd',
    '/zac/%2fetc%2fpasswd',
    '/zac/%5c%5cserver%5cshare',
    '/zac/C:%5cwindows%5cwin.ini',
    '/zac/index.html%00.js',
    '/zac/%00',
    '/zac/%zz',
    '/zac/link.txt',
    '/zac/out/secret.txt',
    '/zac/out/app-beside/secret.txt',
    '/zac/.env',
    '/zac/%2eenv',
    '/zac/.git/config',
    '/zac/assets/../.env',
    '/zac/index.html/',
    '/zac/index.html/x.js',
    '/zac/../app-beside/secret.txt',
    '/zac-beside/secret.txt',
  ];
  for (const path of paths) {
    const { status, text } = await ask(path);
    assert.equal(status, 404, path);
    assert.ok(!text.includes(SECRET) && !text.includes('root:') && !text.includes('overlay-controller-'), path);
    const navigated = await ask(path, navigating);
    assert.ok(navigated.status === 404 || navigated.text === INDEX, path);
  }
});

test('a folder without an application is refused at the start', async (t) => {
  const folder = temporaryFolder(t);
  const start = (spa: string) => runServer(folder, ['--storage', 'memory', '--tls', 'off', '--port', '0', '--spa', spa]);
  assert.equal((await start('/zac=missing')).err, 'error: --spa: cannot read the folder missing: there is no such file or folder\n');
  mkdirSync(join(folder, 'empty'));
  assert.match((await start('/zac=empty')).err, /^error: --spa: the folder empty has no index\.html: /);
});

test('codes of logins go to the callback of an application at the own address of the server, and only where there is an application', async (t) => {
  const { folder, app } = application(t);
  const started = ['--storage', 'memory', '--tls', 'off', '--address', 'https://overlay.example.com'];
  const statusOf = async (url: string, redirectUri: string) => {
    const query = new URLSearchParams({
      client_id: 'openziti',
      response_type: 'code',
      scope: 'openid',
      state: 'state',
      code_challenge: 'c'.repeat(43),
      code_challenge_method: 'S256',
      redirect_uri: redirectUri,
    });
    const { hostname, port } = new URL(url);
    const path = `/oidc/authorize?${query}`;
    const asked = http.get({ hostname, port, path, agent: false, headers: { host: 'overlay.example.com', accept: 'application/json' } });
    const [answer] = (await once(asked, 'response')) as [http.IncomingMessage]; // what the event has
    answer.resume();
    return answer.statusCode;
  };
  const beside = await startServer(t, folder, [...started, '--spa', `/zac=${app}`]);
  const alone = await startServer(t, folder, started);
  const own = 'https://overlay.example.com/auth/callback';
  assert.deepEqual([await statusOf(beside.url, own), await statusOf(alone.url, own)], [302, 400]);
  for (const other of [
    'https://overlay.example.com/zac/auth/callback',
    'https://overlay.example.com:8443/auth/callback',
    'http://overlay.example.com/auth/callback',
    'https://evil.example/auth/callback',
  ])
    assert.equal(await statusOf(beside.url, other), 400, other);
  assert.equal(await statusOf(beside.url, 'http://localhost:1408/auth/callback'), 302, 'those of SDKs and command lines stay');
});
