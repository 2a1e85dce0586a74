import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { certifiedNames, namesOf } from '../../examples/server/addresses.ts';
import { keepPki } from '../../examples/server/pki.ts';
import { temporaryFolder } from './child.ts';

const NAMES = certifiedNames('127.0.0.1');
const NOW = new Date('2026-11-21T10:00:00Z');
const daysLater = (days: number) => new Date(NOW.getTime() + days * 86_400_000);

test('the server certificate is signed by the root, and covers this machine and the host', async (t) => {
  const folder = temporaryFolder(t);
  const { rootFile, server } = await keepPki(folder, certifiedNames('controller.example.com'), NOW);
  const [root, certificate] = [new X509Certificate(readFileSync(rootFile)), new X509Certificate(server.cert)];
  assert.ok(certificate.checkIssued(root) && certificate.verify(root.publicKey));
  assert.ok(root.ca && !certificate.ca);
  assert.deepEqual([certificate.publicKey.asymmetricKeyType, certificate.publicKey.asymmetricKeyDetails?.namedCurve], ['ec', 'prime256v1']);
  for (const name of ['localhost', 'controller.example.com']) assert.equal(certificate.checkHost(name, { subject: 'never' }), name);
  for (const address of ['127.0.0.1', '::1']) assert.equal(certificate.checkIP(address), address);
  assert.equal(certificate.checkHost('elsewhere.example.com'), undefined);
});

test('certificates are kept as long as they are good', async (t) => {
  const folder = temporaryFolder(t);
  const first = await keepPki(folder, NAMES, NOW);
  assert.deepEqual(await keepPki(folder, NAMES, daysLater(300)), first);
});

test('a server certificate that ends within 30 days, or is for another host, is renewed below the same root', async (t) => {
  const folder = temporaryFolder(t);
  const first = await keepPki(folder, NAMES, NOW);
  const root = readFileSync(first.rootFile, 'utf8');
  const late = await keepPki(folder, NAMES, daysLater(336));
  const moved = await keepPki(folder, certifiedNames('10.0.0.7'), daysLater(337));
  assert.equal(new Set([first.server.cert, late.server.cert, moved.server.cert]).size, 3);
  assert.equal(new X509Certificate(moved.server.cert).checkIP('10.0.0.7'), '10.0.0.7');
  assert.equal(readFileSync(first.rootFile, 'utf8'), root);
});

test('no server certificate outlives its root, and a root that ends soon is replaced', async (t) => {
  const folder = temporaryFolder(t);
  const { rootFile } = await keepPki(folder, NAMES, NOW);
  const root = new X509Certificate(readFileSync(rootFile));
  const { server } = await keepPki(folder, NAMES, daysLater(30 * 365 - 50));
  assert.equal(new X509Certificate(server.cert).validTo, root.validTo);
  await keepPki(folder, NAMES, daysLater(30 * 365 - 25));
  assert.notEqual(new X509Certificate(readFileSync(rootFile)).fingerprint256, root.fingerprint256);
});

test('damage is repaired where nothing is lost by it: at the server certificate and the copy of the root', async (t) => {
  const folder = temporaryFolder(t);
  const { rootFile } = await keepPki(folder, NAMES, NOW);
  const root = readFileSync(rootFile, 'utf8');
  const server = join(folder, 'server.private.pem');
  writeFileSync(server, readFileSync(server, 'utf8').slice(0, 300));
  writeFileSync(rootFile, '');
  const repaired = await keepPki(folder, NAMES, NOW);
  assert.ok(new X509Certificate(repaired.server.cert).verify(new X509Certificate(root).publicKey));
  assert.equal(readFileSync(rootFile, 'utf8'), root);
});

test('a root that cannot be read is not replaced', async (t) => {
  const folder = temporaryFolder(t);
  await keepPki(folder, NAMES, NOW);
  writeFileSync(join(folder, 'root-ca.private.pem'), 'half');
  await assert.rejects(keepPki(folder, NAMES, NOW), { name: 'StartFailure' });
  assert.equal(readFileSync(join(folder, 'root-ca.private.pem'), 'utf8'), 'half');
});

test('nothing but the four files is left, and the keys are their owner’s', {
  skip: process.platform === 'win32' && 'no file modes',
}, async (t) => {
  const folder = temporaryFolder(t);
  chmodSync(folder, 0o755);
  await keepPki(folder, NAMES, NOW);
  const modes = Object.fromEntries(readdirSync(folder).map((file) => [file, (statSync(join(folder, file)).mode & 0o777).toString(8)]));
  assert.deepEqual(modes, { 'root-ca.pem': '644', 'root-ca.private.pem': '600', 'server.private.pem': '600', 'signer.private.pem': '600' });
  assert.equal((statSync(folder).mode & 0o777).toString(8), '700');
});

test('the global Reflect is as it was', async (t) => {
  await keepPki(temporaryFolder(t), NAMES, NOW);
  assert.ok(!('getMetadata' in Reflect));
});

test('a server on all addresses is known by the name of its machine', () => {
  const { advertised, local } = namesOf('0.0.0.0');
  assert.notEqual(advertised, '0.0.0.0');
  assert.ok(certifiedNames('0.0.0.0').includes(advertised));
  assert.equal(local, '127.0.0.1');
  assert.equal(namesOf('::').local, '::1');
  assert.deepEqual(namesOf('10.0.0.7'), { advertised: '10.0.0.7', local: '10.0.0.7' });
});

test('the authority for clients stands below the root, and is replaced before it could not sign for a year', async (t) => {
  const folder = temporaryFolder(t);
  const { root, signer } = await keepPki(folder, NAMES, NOW);
  const certificate = new X509Certificate(signer.cert);
  assert.ok(certificate.ca && certificate.verify(new X509Certificate(root).publicKey));
  assert.deepEqual((await keepPki(folder, NAMES, daysLater(9 * 365 - 100))).signer, signer);
  const later = await keepPki(folder, NAMES, daysLater(9 * 365));
  assert.equal(later.root, root);
  assert.ok(new X509Certificate(later.signer.cert).verify(new X509Certificate(root).publicKey));
  assert.notEqual(later.signer.cert, signer.cert);
});
