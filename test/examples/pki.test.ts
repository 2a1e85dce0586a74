import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { memoryStorage } from '../../adapters/storage/memory/index.ts';
import { certifiedNames, namesOf } from '../../server/addresses.ts';
import { authorityIn, ensureAuthority, ensureServerCertificate } from '../../server/pki.ts';
import { networkAuthority, webPlatform } from '../../src/index.ts';
import { temporaryFolder } from './child.ts';

const NAMES = certifiedNames('127.0.0.1');
const NOW = new Date('2026-11-21T10:00:00Z');
const daysLater = (days: number) => new Date(NOW.getTime() + days * 86_400_000);

/** A network, and the files of a server of it. */
const network = async () => {
  const storage = memoryStorage();
  const keep = async (folder: string, names: readonly string[], now: Date) => {
    const platform = webPlatform({ clock: { now: () => now.getTime() } });
    return ensureServerCertificate(folder, await networkAuthority({ storage, platform }), names, now);
  };
  return { storage, keep };
};

test('the server certificate is signed by the root, and covers this machine and the host', async (t) => {
  const { keep } = await network();
  const { rootFile, server } = await keep(temporaryFolder(t), certifiedNames('controller.example.com'), NOW);
  const [root, certificate] = [new X509Certificate(readFileSync(rootFile)), new X509Certificate(server.cert)];
  assert.ok(certificate.checkIssued(root) && certificate.verify(root.publicKey));
  assert.ok(root.ca && !certificate.ca);
  assert.deepEqual([certificate.publicKey.asymmetricKeyType, certificate.publicKey.asymmetricKeyDetails?.namedCurve], ['ec', 'prime256v1']);
  for (const name of ['localhost', 'controller.example.com']) assert.equal(certificate.checkHost(name, { subject: 'never' }), name);
  for (const address of ['127.0.0.1', '::1']) assert.equal(certificate.checkIP(address), address);
  assert.equal(certificate.checkHost('elsewhere.example.com'), undefined);
});

test('the server certificate is kept as long as it is good', async (t) => {
  const { keep } = await network();
  const folder = temporaryFolder(t);
  const first = await keep(folder, NAMES, NOW);
  assert.deepEqual(await keep(folder, NAMES, daysLater(300)), first);
  assert.deepEqual(await keep(folder, ['localhost'], daysLater(334)), first);
});

test('one that ends within 30 days, is for another host, or of another network is made anew, for the key that signs the network’s JWTs', async (t) => {
  const [{ keep, storage }, other] = await Promise.all([network(), network()]);
  const folder = temporaryFolder(t);
  const first = await keep(folder, NAMES, NOW);
  const root = readFileSync(first.rootFile, 'utf8');
  const late = await keep(folder, NAMES, daysLater(336));
  const moved = await keep(folder, certifiedNames('10.0.0.7'), daysLater(337));
  assert.equal(new Set([first.server.cert, late.server.cert, moved.server.cert]).size, 3);
  assert.deepEqual([late.server.key, moved.server.key], [first.server.key, first.server.key]);
  assert.equal(new X509Certificate(moved.server.cert).checkIP('10.0.0.7'), '10.0.0.7');
  assert.equal(readFileSync(first.rootFile, 'utf8'), root);
  assert.equal((await networkAuthority({ storage })).key, first.server.key);
  const foreign = await other.keep(folder, certifiedNames('10.0.0.7'), daysLater(337));
  assert.notEqual(foreign.server.key, first.server.key);
  assert.notEqual(readFileSync(first.rootFile, 'utf8'), root);
});

test('damage of what a folder keeps is repaired', async (t) => {
  const { keep } = await network();
  const folder = temporaryFolder(t);
  const { rootFile } = await keep(folder, NAMES, NOW);
  const root = readFileSync(rootFile, 'utf8');
  const server = join(folder, 'server.private.pem');
  writeFileSync(server, readFileSync(server, 'utf8').slice(0, 300));
  writeFileSync(rootFile, '');
  const repaired = await keep(folder, NAMES, NOW);
  assert.ok(new X509Certificate(repaired.server.cert).verify(new X509Certificate(root).publicKey));
  assert.equal(readFileSync(rootFile, 'utf8'), root);
});

test('a folder that holds an authority gives it away whole, and a damaged root is neither used nor replaced', async (t) => {
  const folder = temporaryFolder(t);
  assert.equal(await authorityIn(folder), undefined);
  const kept = await ensureAuthority(folder, NOW);
  assert.deepEqual(await authorityIn(folder), kept);
  writeFileSync(join(folder, 'root-ca.private.pem'), 'half');
  for (const read of [authorityIn(folder), ensureAuthority(folder, NOW)]) await assert.rejects(read, { name: 'StartFailure' });
  assert.equal(readFileSync(join(folder, 'root-ca.private.pem'), 'utf8'), 'half');
});

test('the authority of a network in memory is kept in the folder, and replaced before it ends', async (t) => {
  const folder = temporaryFolder(t);
  const first = await ensureAuthority(folder, NOW);
  assert.deepEqual(await ensureAuthority(folder, daysLater(9 * 365 - 100)), first);
  const signed = await ensureAuthority(folder, daysLater(9 * 365));
  assert.equal(signed.root.cert, first.root.cert);
  assert.notEqual(signed.signer?.cert, first.signer?.cert);
  assert.ok(new X509Certificate(signed.signer?.cert ?? '').verify(new X509Certificate(first.root.cert).publicKey));
  assert.equal((await ensureAuthority(folder, daysLater(30 * 365 - 35))).root.cert, first.root.cert);
  const renewed = await ensureAuthority(folder, daysLater(30 * 365 - 25));
  assert.notEqual(renewed.root.cert, first.root.cert);
  assert.ok(new X509Certificate(renewed.signer?.cert ?? '').verify(new X509Certificate(renewed.root.cert).publicKey));
});

test('nothing but its files is left, and the keys are their owner’s; the mode of the folder is not its own to set', {
  skip: process.platform === 'win32' && 'no file modes',
}, async (t) => {
  const { keep } = await network();
  const folder = temporaryFolder(t);
  chmodSync(folder, 0o755);
  await ensureAuthority(folder, NOW);
  await keep(folder, NAMES, NOW);
  const modes = Object.fromEntries(readdirSync(folder).map((file) => [file, (statSync(join(folder, file)).mode & 0o777).toString(8)]));
  assert.deepEqual(modes, { 'root-ca.pem': '644', 'root-ca.private.pem': '600', 'server.private.pem': '600', 'signer.private.pem': '600' });
  assert.equal((statSync(folder).mode & 0o777).toString(8), '755');
});

test('the global Reflect is as it was', async (t) => {
  await (await network()).keep(temporaryFolder(t), NAMES, NOW);
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
