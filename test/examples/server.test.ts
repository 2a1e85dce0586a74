import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { startServer, temporaryFolder } from './child.ts';

const hasCurl = spawnSync('curl', ['--version']).status === 0;

test('the server finds yesterday’s identities after a restart, and shows its password only once', async (t) => {
  const folder = temporaryFolder(t);
  const first = await startServer(t, folder);
  const password = first.told('password') ?? '';
  assert.match(password, /^[0-9A-Za-z]{22}$/);
  assert.match(first.said, /^listening on https:\/\/127\.0\.0\.1:\d+$/m);
  const token = await first.login(password);
  const created = await first.request('POST', '/identities', {
    token,
    body: { name: 'ann', type: 'User', isAdmin: false, roleAttributes: ['sales'] },
  });
  assert.equal(created.status, 201);
  assert.deepEqual(await first.stop().then(({ code, err }) => ({ code, err })), { code: 0, err: '' });

  const second = await startServer(t, folder);
  assert.equal(second.told('password'), undefined);
  assert.ok(!second.said.includes(password));
  const filter = encodeURIComponent('name = "ann"');
  const found = await second.request('GET', `/identities?filter=${filter}`, { token: await second.login(password) });
  assert.deepEqual(
    found.body.data.map(({ id, roleAttributes }: { id: string; roleAttributes: string[] }) => ({ id, roleAttributes })),
    [{ id: created.body.data.id, roleAttributes: ['sales'] }],
  );
  assert.equal((await second.request('GET', '/version')).body.data.version.slice(0, 1), 'v');
});

test('what only the owner may read is readable by nobody else', { skip: process.platform === 'win32' && 'no file modes' }, async (t) => {
  const folder = temporaryFolder(t);
  await startServer(t, folder);
  const mode = (...path: string[]) => (statSync(join(folder, 'data', ...path)).mode & 0o777).toString(8);
  assert.deepEqual(
    {
      data: mode(),
      database: mode('controller.db'),
      pki: mode('pki'),
      log: mode('controller.db-wal'),
      shared: mode('controller.db-shm'),
      secretKey: mode('secret.key'),
      serverKey: mode('pki', 'server.private.pem'),
      root: mode('pki', 'root-ca.pem'),
    },
    { data: '700', database: '600', log: '600', shared: '600', secretKey: '600', pki: '700', serverKey: '600', root: '644' },
  );
});

test('the printed commands log in, from any folder', { skip: hasCurl ? false : 'curl is not installed' }, async (t) => {
  const folder = join(temporaryFolder(t), "a folder, Ann's");
  const commandOf = (said: string) => /^ {2}(curl .+)$/m.exec(said)?.[1] ?? '';
  const shell = (command: string, environment = {}) =>
    JSON.parse(
      execFileSync('sh', ['-c', `${command} --silent --noproxy '*'`], {
        cwd: '/',
        env: { ...process.env, ...environment },
        encoding: 'utf8',
      }),
    );

  const cwd = temporaryFolder(t);
  const first = await startServer(t, cwd, ['--storage', `sqlite:${join(folder, 'x.db')}`]);
  assert.ok(shell(commandOf(first.said)).data.token);
  await first.stop();

  const second = await startServer(t, cwd, ['--storage', `sqlite:${join(folder, 'x.db')}`]);
  assert.ok(shell(commandOf(second.said), { ADMIN_PASSWORD: first.told('password') }).data.token);

  const plain = await startServer(t, cwd, [
    '--storage',
    'memory',
    '--tls',
    'off',
    '--admin-username',
    "o'neill",
    '--admin-password',
    'pass$word 1',
  ]);
  assert.match(plain.said, /^listening on http:\/\/127\.0\.0\.1:\d+$/m);
  assert.ok(!plain.said.includes('pass$word'));
  assert.ok(shell(commandOf(plain.said), { ADMIN_PASSWORD: 'pass$word 1' }).data.token);
});

test('a password that is given to a network that has its administrator is refused in a line, and the old one stays', async (t) => {
  const folder = temporaryFolder(t);
  const first = await startServer(t, folder, [], { ADMIN_PASSWORD: 'from-the-environment' });
  assert.equal(first.told('password'), undefined);
  await first.login('from-the-environment');
  await first.stop();

  const second = await startServer(t, folder, ['--admin-password', 'another-one']);
  assert.match(second.said, /^The network already has its administrator: --admin-password has no effect\.$/m);
  assert.ok(await second.login('from-the-environment'));
  assert.equal(
    (await second.request('POST', '/authenticate?method=password', { body: { username: 'admin', password: 'another-one' } })).status,
    401,
  );
});

test('the controller says of itself the address that it really has', async (t) => {
  const server = await startServer(t, temporaryFolder(t), ['--storage', 'memory', '--host', 'localhost']);
  assert.match(server.url, /^https:\/\/localhost:\d+$/);
  const { body } = await server.request('GET', '/version');
  assert.ok(JSON.stringify(body).includes(server.url), JSON.stringify(body));
});

test('behind a load balancer the server says the address of the balancer, and has a certificate for its name', async (t) => {
  const folder = temporaryFolder(t);
  const start = (address: string) =>
    startServer(t, folder, ['--storage', 'memory', '--address', address], { ADMIN_PASSWORD: 'the-admin-password' });
  const server = await start('https://overlay.example.com/');
  assert.equal(server.told('advertised as'), 'https://overlay.example.com');
  assert.match(server.url, /^https:\/\/127\.0\.0\.1:\d+$/);
  const { body } = await server.request('GET', '/version');
  assert.equal(body.data.apiVersions['edge-management'].v1.apiBaseUrls[0], 'https://overlay.example.com/edge/management/v1');

  const token = await server.login('the-admin-password');
  const identity = { name: 'lift', type: 'Device', isAdmin: false, enrollment: { ott: true } };
  const { id } = (await server.request('POST', '/identities', { token, body: identity })).body.data;
  const { jwt } = (await server.request('GET', `/identities/${id}`, { token })).body.data.enrollment.ott;
  const claims = JSON.parse(Buffer.from(jwt.split('.')[1], 'base64url').toString());
  assert.deepEqual([claims.iss, claims.ctrls], ['https://overlay.example.com', ['tls:overlay.example.com:443']]);

  const certificate = () =>
    new X509Certificate(
      readFileSync(join(folder, 'data', 'pki-memory', 'server.private.pem'), 'utf8').replace(/^.*?(?=-----BEGIN CERT)/s, ''),
    );
  assert.ok(certificate().checkHost('overlay.example.com'));
  assert.ok(certificate().checkIP('127.0.0.1'), 'health checks reach the server itself');
  await server.stop();
  await start('https://[fd00::7]:8443');
  assert.ok(certificate().checkIP('fd00::7'));
});

test('a first signal drains and a second one ends the server at once', async (t) => {
  const folder = temporaryFolder(t);
  const server = await startServer(t, folder, ['--storage', 'memory', '--tls', 'off']);
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  t.after(() => socket.destroy());
  // A request whose body is awaited holds the drain up.
  const lines = ['host: x', 'content-type: application/json', 'content-length: 99', 'expect: 100-continue'];
  socket
    .on('error', () => undefined)
    .write(['POST /edge/management/v1/authenticate?method=password HTTP/1.1', ...lines, '', ''].join('\r\n'));
  assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1.1 100 /);
  const { stdout } = server.child;
  assert.ok(stdout);
  const begun = once(stdout, 'data');
  server.child.kill('SIGINT');
  assert.match(String((await begun)[0]), /^shutting down: /);
  assert.equal((await server.stop('SIGTERM')).code, 143);
});
