/** The server on a network that it has adopted: what its certificates, ports and devices of before see. */
import assert from 'node:assert/strict';
import { createHash, createPublicKey, type X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join as pathOf } from 'node:path';
import { type TestContext, test } from 'node:test';
import { connect } from 'node:tls';
import { decodeProtectedHeader } from 'jose';
import { sqliteStorage } from '../../adapters/storage/kysely/index.ts';
import { type Device, join, login, renew } from '../../examples/enroll-device.ts';
import { ManagementController, networkAuthority, newSecretKey } from '../../src/index.ts';
import { adoptedParts, oldAuthority } from '../support/old-authority.ts';
import { party } from '../support/pki.ts';
import { type Running, runServer, startServer, temporaryFolder } from './child.ts';

const ADMIN_PASSWORD = 'the-admin-password';

/** A database with a network that was adopted: one of its devices has a certificate of the old signer. */
const adopted = async (t: TestContext) => {
  const folder = temporaryFolder(t);
  const [file, secretKey] = [pathOf(folder, 'net.db'), newSecretKey()];
  const storage = () => sqliteStorage({ file });
  await networkAuthority({ storage: storage(), secretKey, former: await adoptedParts() });
  const { root, signer, serverRoot } = await oldAuthority();
  const device = await party('device', { by: signer });
  const controller = await ManagementController.open({
    storage: storage(),
    secretKey,
    administrator: { password: ADMIN_PASSWORD },
    settings: { address: 'https://127.0.0.1:1280' },
  });
  const { id } = await controller.api.identities.create({ body: { name: 'lift 1', type: 'Device', isAdmin: false } });
  await controller.api.authenticators.create({ body: { method: 'cert', identityId: id, certPem: device.cert } });
  await controller.close();
  const start = (...args: readonly string[]) => startServer(t, folder, ['--storage', `sqlite:${file}`, ...args], { SECRET_KEY: secretKey });
  const enrolledBefore = (server: Running): Device => ({
    address: server.url,
    ca: serverRoot.cert + root.cert,
    cert: device.cert + signer.cert,
    key: device.key,
  });
  return { folder, file, secretKey, start, enrolledBefore };
};

const presented = async (port: string, servername?: string, ALPNProtocols?: string[]): Promise<X509Certificate | undefined> => {
  const { root, serverRoot } = await oldAuthority();
  const ca = [root.cert, serverRoot.cert];
  const socket = connect({
    host: '127.0.0.1',
    port: Number(port),
    ca,
    rejectUnauthorized: !servername,
    ...(servername ? { servername } : {}),
    ...(ALPNProtocols ? { ALPNProtocols } : {}),
  });
  await once(socket, 'secureConnect');
  const certificate = socket.getPeerX509Certificate();
  socket.destroy();
  return certificate;
};

const portOf = (address = '') => address.split(':').at(-1) ?? '';

test('clients of before trust it, on both ports, and other names have their own certificates', async (t) => {
  const { start, enrolledBefore } = await adopted(t);
  const { server: old, alternative } = await oldAuthority();
  const server = await start('--router-port', '0');
  const ports = [portOf(server.url), portOf(server.told('routers'))];
  for (const port of ports) {
    assert.ok((await presented(port, undefined, ['http/1.1', 'ziti-ctrl']))?.raw.equals(old.certificate.der));
    assert.ok((await presented(port, 'a.apps.example', ['http/1.1', 'ziti-ctrl']))?.raw.equals(alternative.certificate.der));
  }
  assert.equal((await login(enrolledBefore(server))).identity.name, 'lift 1');
});

test('a device of before renews its certificate below the old signer, and a new one enrolls with a JWT of the old key', async (t) => {
  const { start, enrolledBefore } = await adopted(t);
  const { root, serverRoot, signer, server: old } = await oldAuthority();
  const server = await start();
  const renewed = await renew(enrolledBefore(server));
  assert.equal((await login(renewed)).identity.name, 'lift 1');
  const token = await server.login(ADMIN_PASSWORD);
  const body = { name: 'lift 2', type: 'Device', isAdmin: false, enrollment: { ott: true } };
  const { id } = (await server.request('POST', '/identities', { token, body })).body.data;
  const { jwt } = (await server.request('GET', `/identities/${id}`, { token })).body.data.enrollment.ott;
  assert.equal(decodeProtectedHeader(jwt).kid, createHash('sha1').update(old.certificate.der).digest('hex'));
  const device = await join(jwt);
  assert.equal((await login(device)).identity.name, 'lift 2');
  for (const { cert } of [renewed, device]) assert.ok(cert.endsWith(signer.cert), 'the chain follows');
  // Clients may have nothing but the signer, so it is among what they are told to trust.
  for (const one of [root, serverRoot, signer]) assert.ok(device.ca.replaceAll(/\s/g, '').includes(one.cert.replaceAll(/\s/g, '')));
});

test('its folder has the roots, but no key of the authority, and its certificate is not for the command that replaces it', async (t) => {
  const { start, folder, file, secretKey } = await adopted(t);
  const { root, serverRoot } = await oldAuthority();
  const server = await start('--log', 'json');
  const roots = readFileSync(pathOf(folder, 'pki', 'root-ca.pem'), 'utf8');
  assert.deepEqual([roots.includes(root.cert), roots.includes(serverRoot.cert)], [true, true]);
  const { err } = await runServer(folder, ['rotate-certificate', '--storage', `sqlite:${file}`], { SECRET_KEY: secretKey });
  assert.match(err, /^error: servers of this network present the certificate from before the adoption until 2027-05-10T/);
  const ended = await server.stop();
  assert.doesNotMatch(ended.out + ended.err, /PRIVATE KEY/);
});

test('a server at another name gets a certificate of the signer, for the old names, too', async (t) => {
  const { start } = await adopted(t);
  const { server: old, signer } = await oldAuthority();
  const server = await start('--address', 'https://moved.example:1280');
  const certificate = await presented(portOf(server.url), 'moved.example');
  assert.equal(certificate?.checkHost('moved.example'), 'moved.example');
  assert.equal(certificate?.checkHost('controller.old.example'), 'controller.old.example');
  assert.match(certificate?.subjectAltName ?? '', /URI:spiffe:\/\/old\.domain\/controller\/ctrl1/);
  assert.ok(certificate?.verify(createPublicKey(signer.key)));
  assert.ok(certificate?.publicKey.equals(createPublicKey(old.key)));
});

test('the certificate that follows the old one has the name under which routers know the server, too', async (t) => {
  const { start } = await adopted(t);
  const { signer } = await oldAuthority();
  const server = await start('--address', 'https://moved.example:1280', '--router-address', 'routers.example:6262');
  const certificate = await presented(portOf(server.url), 'routers.example');
  assert.equal(certificate?.checkHost('routers.example'), 'routers.example');
  assert.ok(certificate?.verify(createPublicKey(signer.key)));
});
