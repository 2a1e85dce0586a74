import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import https from 'node:https';
import { type TestContext, test } from 'node:test';
import { connect } from 'node:tls';
import { header } from '../../src/fabric/control-channel/header-fields.ts';
import { connectScripted } from '../../testing/scripted-router.ts';
import { frozenClock } from '../support/clock.ts';
import { csr } from '../support/pki.ts';
import { until } from '../support/until.ts';
import { freePort, type Running, runServer, startServer, temporaryFolder } from './child.ts';

const ADMIN_PASSWORD = 'the-admin-password';
const started = (t: TestContext, ...args: readonly string[]) =>
  startServer(t, temporaryFolder(t), ['--storage', 'memory', ...args], { ADMIN_PASSWORD });

const claimsOf = (jwt: string) => JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString());

/** An edge router that has enrolled: what its token says, and its certificate. */
const enrolledRouter = async (server: Running, name: string) => {
  const token = await server.login(ADMIN_PASSWORD);
  const { id } = (await server.request('POST', '/edge-routers', { token, body: { name } })).body.data;
  const { enrollmentToken, enrollmentJwt } = (await server.request('GET', `/edge-routers/${id}`, { token })).body.data;
  const own = await csr(`CN=${id}`);
  const body = { certCsr: own.csr, serverCertCsr: (await csr(`CN=${id}`)).csr };
  const { cert } = await enroll(server, `method=erott&token=${enrollmentToken}`, body);
  const isOnline = async () => (await server.request('GET', `/edge-routers/${id}`, { token })).body.data.isOnline;
  return { id, claims: claimsOf(enrollmentJwt), certificate: { chain: cert, key: own.key }, isOnline };
};

const enroll = (server: Running, query: string, body: object): Promise<{ readonly cert: string }> =>
  new Promise((done, fail) => {
    const ca = readFileSync(server.told('root certificate') ?? '', 'utf8');
    const options = { method: 'POST', ca, agent: false, headers: { 'content-type': 'application/json' } };
    const asked = https.request(`${server.url}/edge/client/v1/enroll?${query}`, options);
    asked.on('error', fail).on('response', (answer) => {
      let text = '';
      answer.on('data', (part: Buffer) => (text += part)).on('end', () => done(JSON.parse(text).data));
    });
    asked.end(JSON.stringify(body));
  });

/** The protocol that a port negotiates, and whether its certificate leads to the root of the network. */
const negotiated = async (server: Running, port: number, protocol: string) => {
  const ca = readFileSync(server.told('root certificate') ?? '', 'utf8');
  const socket = connect({ host: '127.0.0.1', port, ca, ALPNProtocols: [protocol] });
  await once(socket, 'secureConnect');
  const { alpnProtocol, authorized } = socket;
  socket.destroy();
  return { alpnProtocol, authorized };
};

test('routers connect on a port of their own, which their tokens name, and still on that of the API', async (t) => {
  const server = await started(t, '--router-port', '0');
  const address = server.told('routers') ?? '';
  assert.match(address, /^tls:127\.0\.0\.1:\d+$/);
  const port = Number(address.split(':').at(-1));
  const api = Number(new URL(server.url).port);
  assert.notEqual(port, api);
  assert.deepEqual(await negotiated(server, port, 'ziti-ctrl'), { alpnProtocol: 'ziti-ctrl', authorized: true });

  const [one, two] = [await enrolledRouter(server, 'one'), await enrolledRouter(server, 'two')];
  assert.deepEqual([one.claims.iss, one.claims.ctrls], [server.url, [address]]);
  const clock = frozenClock();
  const routers = [await connectScripted({ ...one, clock }, { port }), await connectScripted({ ...two, clock }, { port: api })];
  await until(async () => (await one.isOnline()) && (await two.isOnline()));
  // The API is not served there.
  await assert.rejects(negotiated(server, port, 'http/1.1'), /ECONNRESET|alert|socket disconnected/);
  const ended = await server.stop();
  assert.equal(ended.code, 0, ended.err);
  await until(() => routers.every(({ signal }) => signal.aborted));
});

test('routers get the address, and know the server by the id, that it is given', async (t) => {
  const server = await started(t, '--router-port', '0', '--router-address', 'routers.example:6262', '--controller-id', 'the former');
  assert.equal(server.told('routers'), 'tls:routers.example:6262');
  const router = await enrolledRouter(server, 'one');
  assert.deepEqual([router.claims.iss, router.claims.ctrls], [server.url, ['tls:routers.example:6262']]);
  const { welcome } = await connectScripted({ ...router, clock: frozenClock() }, { port: Number(new URL(server.url).port) });
  assert.equal(header.id.in(welcome), 'the former');
  const ca = readFileSync(server.told('root certificate') ?? '', 'utf8');
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(server.url).port), servername: 'routers.example', ca });
  await once(socket, 'secureConnect');
  assert.equal(socket.authorized, true);
  socket.destroy();
});

test('routers have the second port only, where the API does not take them', async (t) => {
  const server = await started(t, '--router-port', '0', '--routers', 'off');
  const port = Number((server.told('routers') ?? '').split(':').at(-1));
  const router = await enrolledRouter(server, 'one');
  const clock = frozenClock();
  await assert.rejects(connectScripted({ ...router, clock }, { port: Number(new URL(server.url).port) }));
  await connectScripted({ ...router, clock }, { port });
  await until(router.isOnline);
});

test('the log names the port for routers; the configuration, too', async (t) => {
  const port = String(await freePort());
  const { out } = await runServer(temporaryFolder(t), ['--router-port', port, '--print-config']);
  assert.match(out, new RegExp(`^routerPort +${port} +--router-port$`, 'm'));
  const server = await started(t, '--router-port', port, '--log', 'json', '--address', 'https://net.example:1280');
  const { message, routers } = JSON.parse(server.said.trim().split('\n').at(-1) ?? '');
  assert.deepEqual([message, routers], ['listening', `tls:net.example:${port}`]);
});

for (const [why, args, words] of [
  ['it is no port', ['--router-port', 'many'], /--router-port must be a number from 0 to 65535, got 'many'/],
  ['its address has no port', ['--router-address', 'tls:routers.example'], /--router-address must be HOST:PORT/],
  ['the id has control characters', ['--controller-id', 'a\nb'], /--controller-id must have 1 to 255 characters/],
  ['there is no TLS', ['--router-port', '0', '--tls', 'off'], /--router-port needs TLS/],
] as const)
  test(`the server does not start with a port for routers if ${why}`, async (t) => {
    const { code, err } = await runServer(temporaryFolder(t), ['--storage', 'memory', '--port', '0', ...args]);
    assert.equal(code, 1);
    assert.match(err, words);
  });

test('a port for routers that is in use ends the start, before there is a network', async (t) => {
  const other = await started(t, '--router-port', '0');
  const port = (other.told('routers') ?? '').split(':').at(-1) ?? '';
  const { code, out, err } = await runServer(temporaryFolder(t), ['--storage', 'memory', '--port', '0', '--router-port', port]);
  assert.deepEqual([code, out], [1, '']);
  assert.match(err, new RegExp(`port ${port} of 127.0.0.1 is in use: .* choose another port with --router-port`));
});
