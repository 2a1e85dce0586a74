import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { clientCertificates } from '../../adapters/http/node.ts';
import { type Running, startServer, temporaryFolder } from './child.ts';

const run = promisify(execFile);
const example = join(import.meta.dirname, '../../examples/enroll-device.ts');
const CLIENT = '203.0.113.7';

/**
 * A proxy that ends TLS, with the certificate of the server behind it, and sets the headers that the guide says; its clients all come from
 * one address.
 */
const proxy = async (t: TestContext) => {
  let behind = '';
  const server = https.createServer(clientCertificates, (req, res) => {
    const { raw } = (req.socket as TLSSocket).getPeerCertificate(); // of an HTTPS server
    const pem = raw && `-----BEGIN CERTIFICATE-----\n${raw.toString('base64')}\n-----END CERTIFICATE-----\n`;
    const { 'client-cert': _, ...headers } = req.headers;
    const forwarded = {
      ...headers,
      'x-forwarded-for': [req.headers['x-forwarded-for'], CLIENT].filter(Boolean).join(', '),
      ...(pem ? { 'client-cert': encodeURIComponent(pem) } : {}),
    };
    const asked = http.request(`${behind}${req.url}`, { method: req.method ?? 'GET', headers: forwarded }, (answer) => {
      res.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(res);
    });
    req.pipe(asked);
  });
  server.listen(0, 'localhost');
  await once(server, 'listening');
  t.after(() => void server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  return {
    address: `https://localhost:${port}`,
    standsBefore: ({ url }: Running, pair: string) => {
      behind = url;
      server.setSecureContext({ ...clientCertificates, key: pair, cert: pair });
    },
  };
};

/** What the log of a server says of attempts to log in: method, outcome and address. */
const attempts = (out: string) =>
  out
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
    .filter(({ message }) => String(message).startsWith('authentication '))
    .map(({ method, outcome, remoteAddress }) => [method, outcome, remoteAddress]);

test('behind a trusted proxy a device enrolls, logs in by its certificate and renews it, and the audit has its address', async (t) => {
  const folder = temporaryFolder(t);
  const front = await proxy(t);
  // The first start makes the certificate that the proxy has from then on.
  await (await startServer(t, folder, ['--address', front.address], { ADMIN_PASSWORD: 'a-good-password' })).stop();
  const pair = readFileSync(join(folder, 'data/pki/server.private.pem'), 'utf8');
  const options = ['--tls', 'off', '--routers', 'off', '--address', front.address, '--log', 'json'];
  const server = await startServer(t, folder, [...options, '--trusted-proxy', '127.0.0.0/8,client-cert']);
  front.standsBefore(server, pair);

  const token = await server.login('a-good-password');
  const body = { name: 'lift 7', type: 'Device', isAdmin: false, enrollment: { ott: true } };
  const { id } = (await server.request('POST', '/identities', { token, body })).body.data;
  const { jwt } = (await server.request('GET', `/identities/${id}`, { token })).body.data.enrollment.ott;
  const { stdout } = await run(process.execPath, [example, jwt]);
  assert.match(stdout, /^enrolled until .+ GMT\nlogged in as lift 7\nrenewed .+ logged in as lift 7\n$/);

  const ca = readFileSync(join(folder, 'data/pki/root-ca.pem'));
  const login = https.request(`${front.address}/edge/management/v1/authenticate?method=password`, {
    method: 'POST',
    ca,
    agent: false,
    headers: { 'content-type': 'application/json', 'x-forwarded-for': '198.51.100.1' },
  });
  login.end('{"username":"admin","password":"a-wrong-password"}');
  assert.equal((await once(login, 'response'))[0].statusCode, 401);
  const { out, err } = await server.stop();
  assert.deepEqual(
    attempts(`${out}${err}`).filter(([method]) => method === 'cert'),
    Array(3).fill(['cert', 'succeeded', CLIENT]),
  );
  assert.deepEqual(
    attempts(err).filter(([method]) => method === 'password'),
    [['password', 'failed', CLIENT]],
  );
});

test('a server without that option, or with another proxy in it, takes no address from a header', async (t) => {
  const folder = temporaryFolder(t);
  for (const options of [[], ['--trusted-proxy', '10.0.0.7,client-cert'], ['--trusted-proxy', '127.0.0.1']]) {
    const server = await startServer(t, folder, ['--storage', 'memory', '--tls', 'off', '--log', 'json', ...options]);
    const headers = { 'x-forwarded-for': CLIENT };
    const answer = await fetch(`${server.url}/edge/client/v1/authenticate?method=cert`, { method: 'POST', headers });
    assert.equal(answer.status, 401);
    const { err } = await server.stop();
    const isTrusted = options[1] === '127.0.0.1';
    assert.deepEqual(attempts(err), [['cert', 'failed', isTrusted ? CLIENT : '127.0.0.1']]);
  }
});
