import assert from 'node:assert/strict';
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import https, { type RequestOptions } from 'node:https';
import { connect } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { WebSocket } from 'ws';
import { join as enroll } from '../../examples/enroll-device.ts';
import { blocks } from '../docs/documents.ts';
import { freePort, startServer, temporaryFolder } from './child.ts';

const GUIDE = 'docs/guides/behind-a-proxy.md';
const run = promisify(execFile);
const example = join(import.meta.dirname, '../../examples/enroll-device.ts');
const PASSWORD = 'a-good-password';

/** A configuration of the guide, and how the program of Debian runs it. */
interface Proxy {
  readonly program: string;
  /** A file beside the program, in a package of its own. */
  readonly part?: string;
  readonly config: string;
  /** The option of the server that the guide says; undefined if TLS is passed through. */
  readonly trusted?: string;
  /** What the configuration of the program is, around that of the guide. */
  file(config: string, folder: string): string;
  readonly args: (file: string) => readonly string[];
}

const [nginxHttp = '', nginxStream = ''] = blocks(GUIDE, 'nginx');
const [haproxyHttp = '', haproxyTcp = ''] = blocks(GUIDE, 'haproxy');
const [envoyHttp = '', envoyTcp = ''] = blocks(GUIDE, 'yaml');

/** As Debian's package `libnginx-mod-stream` installs it. */
const STREAM_MODULE = '/usr/lib/nginx/modules/ngx_stream_module.so';
const nginx = {
  program: 'nginx',
  args: (file: string) => ['-c', file, '-e', 'stderr', '-g', `daemon off; pid ${file}.pid; user ${userInfo().username};`],
};
const temporary = (folder: string) =>
  ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join(' ');
const haproxy = { program: 'haproxy', file: (config: string) => config, args: (file: string) => ['-db', '-f', file] };
const envoy = {
  program: 'envoy',
  file: (config: string) => config,
  args: (file: string) => ['-c', file, '--log-level', 'error', '--use-dynamic-base-id'],
};

const PROXIES: Readonly<Record<string, Proxy>> = {
  'nginx that terminates TLS': {
    ...nginx,
    config: nginxHttp,
    trusted: '127.0.0.1,client-cert',
    file: (config, folder) => `events {} http { access_log off; ${temporary(folder)}\n${config}\n}`,
  },
  'nginx that passes TLS through': {
    ...nginx,
    config: nginxStream,
    part: STREAM_MODULE,
    file: (config) => `load_module ${STREAM_MODULE}; events {}\n${config}`,
  },
  'HAProxy that terminates TLS': { ...haproxy, config: haproxyHttp, trusted: '127.0.0.1,client-cert' },
  'HAProxy that passes TLS through': { ...haproxy, config: haproxyTcp },
  'Envoy that terminates TLS': { ...envoy, config: envoyHttp, trusted: '127.0.0.1,x-forwarded-client-cert' },
  'Envoy that passes TLS through': { ...envoy, config: envoyTcp },
};

const missing = ({ program, part }: Proxy): string | false => {
  if (process.platform !== 'linux' || spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0) return `${program} is not installed`;
  return part !== undefined && !existsSync(part) && `${part} is not installed`;
};

/** The network behind a proxy, with the configuration of the guide in which only places are others. */
const behind = async (t: TestContext, proxy: Proxy) => {
  const folder = temporaryFolder(t);
  const [port, inner] = [await freePort(), await freePort()];
  const address = `https://localhost:${port}`;
  const options = ['--address', address, '--port', String(inner), ...(proxy.trusted ? ['--trusted-proxy', proxy.trusted] : [])];
  const server = await startServer(t, folder, options, { ADMIN_PASSWORD: PASSWORD });
  const config = proxy.config
    .replaceAll('/var/lib/overlay/data', join(folder, 'data'))
    .replaceAll('overlay.example.com', 'localhost')
    .replaceAll('127.0.0.1:1280', `127.0.0.1:${inner}`)
    .replace('port_value: 1280', `port_value: ${inner}`)
    .replace(/(listen |bind :|port_value: )(443|6262)/, `$1${port}`);
  assert.ok(config.includes(String(port)) && config.includes(String(inner)));
  // Envoy knows a format by its name.
  const file = join(folder, 'proxy.yaml');
  writeFileSync(file, proxy.file(config, folder));
  const child = spawn(proxy.program, proxy.args(file), { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (part) => (said += part));
  t.after(() => child.kill('SIGTERM'));
  while (!(await isOpen(port))) {
    assert.equal(child.exitCode, null, said);
    await pause(20);
  }
  return { address, server, ca: readFileSync(join(folder, 'data/pki/root-ca.pem')) };
};
type Behind = Awaited<ReturnType<typeof behind>>;

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

const ask = async ({ address, ca }: Behind, method: string, path: string, options: RequestOptions = {}, body?: object) => {
  const headers = { ...(body ? { 'content-type': 'application/json' } : {}), ...options.headers };
  const asked = https.request(`${address}/edge/management/v1${path}`, { ca, agent: false, ...options, method, headers });
  asked.end(body && JSON.stringify(body));
  const [answer] = await once(asked, 'response');
  return { status: answer.statusCode, body: JSON.parse((await answer.toArray()).join('')) };
};

const logInWith = (network: Behind, options: RequestOptions) => ask(network, 'POST', '/authenticate?method=cert', options, {});

const administrator = async (network: Behind): Promise<string> => {
  const { status, body } = await ask(network, 'POST', '/authenticate?method=password', {}, { username: 'admin', password: PASSWORD });
  assert.equal(status, 200);
  return body.data.token;
};

/** The token with which a new device enrolls. */
const enrollment = async (network: Behind, token: string, name: string): Promise<string> => {
  const headers = { 'zt-session': token };
  const { body } = await ask(
    network,
    'POST',
    '/identities',
    { headers },
    { name, type: 'Device', isAdmin: false, enrollment: { ott: true } },
  );
  return (await ask(network, 'GET', `/identities/${body.data.id}`, { headers })).body.data.enrollment.ott.jwt;
};

/** The first part of a stream of changes that tells of an entity. */
const followed = async (network: Behind, token: string, name: string): Promise<string> => {
  const headers = { 'zt-session': token, accept: 'text/event-stream' };
  const asked = https.get(`${network.address}/edge/management/extensions/v1/changes/follow`, { ca: network.ca, agent: false, headers });
  const [answer] = await once(asked, 'response');
  assert.equal(answer.statusCode, 200);
  await ask(network, 'POST', '/config-types', { headers: { 'zt-session': token } }, { name });
  let said = '';
  for await (const part of answer) if ((said += part).includes(name)) break;
  return said;
};

for (const [name, proxy] of Object.entries(PROXIES))
  describe(`behind ${name}, as the guide configures it`, { skip: missing(proxy) }, () => {
    test('a device enrolls, logs in with its certificate and renews it', async (t) => {
      const network = await behind(t, proxy);
      const token = await administrator(network);
      const { stdout } = await run(process.execPath, [example, await enrollment(network, token, 'lift 7')]);
      assert.match(stdout, /^enrolled until .+ GMT\nlogged in as lift 7\nrenewed .+ logged in as lift 7\n$/);
    });

    test('a certificate in a header logs nobody in', async (t) => {
      const network = await behind(t, proxy);
      const { cert, key } = await enroll(await enrollment(network, await administrator(network), 'lift 7'));
      assert.equal((await logInWith(network, { cert, key })).status, 200);
      const bytes = `:${Buffer.from(cert.replace(/-----.+?-----/g, ''), 'base64').toString('base64')}:`;
      for (const value of [encodeURIComponent(cert), bytes])
        for (const header of ['client-cert', 'Client-Cert', 'client-cert-chain']) {
          const { status } = await logInWith(network, { headers: { [header]: value } });
          assert.equal(status, 401, header);
        }
      const xfcc = { 'x-forwarded-client-cert': `Cert="${encodeURIComponent(cert)}"` };
      assert.equal((await logInWith(network, { headers: xfcc })).status, 401);
    });

    test('changes arrive as they happen, and the management channel opens', async (t) => {
      const network = await behind(t, proxy);
      const token = await administrator(network);
      assert.match(await followed(network, token, 'while a client follows'), /^data:/m);
      const socket = new WebSocket(`${network.address.replace('https', 'wss')}/fabric/v1/ws-api`, {
        ca: network.ca,
        headers: { 'zt-session': token },
      });
      t.after(() => socket.terminate());
      await once(socket, 'open');
      socket.ping();
      await once(socket, 'pong');
    });
  });
