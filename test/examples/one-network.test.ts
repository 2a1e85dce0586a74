import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Device, join as enroll, login } from '../../examples/enroll-device.ts';
import { type KeyPair, newRoot, newSecretKey, newServerCertificate, newSigner } from '../../src/index.ts';
import { newSchema, postgresUrl, withoutPostgres } from '../support/postgres.ts';
import { type Running, runServer, startServer, temporaryFolder } from './child.ts';

const ADMIN_PASSWORD = 'the-admin-password';
const SECRET_KEY = newSecretKey();

/** A new database, PostgreSQL's where there is a server, and the folder in which a server that is started in `folder` keeps its files. */
const databaseOf = async (t: TestContext) => {
  if (postgresUrl) {
    const schema = await newSchema();
    t.after(() => schema[Symbol.asyncDispose]());
    return { storage: schema.connectionString, filesOf: (folder: string) => join(folder, 'data') };
  }
  const file = join(temporaryFolder(t), 'network.db');
  return { storage: `sqlite:${file}`, filesOf: (_folder: string) => dirname(file) };
};

/** The JWT of a new device. */
const jwtFrom = async (server: Running): Promise<string> => {
  const token = await server.login(ADMIN_PASSWORD);
  const body = { name: `lift ${crypto.randomUUID()}`, type: 'Device', isAdmin: false, enrollment: { ott: true } };
  const { id } = (await server.request('POST', '/identities', { token, body })).body.data;
  return (await server.request('GET', `/identities/${id}`, { token })).body.data.enrollment.ott.jwt;
};

/** Logs in with the certificate of a device, which trusts what it was told to trust when it enrolled. */
const loginAt = async (server: Running, device: Device): Promise<void> => {
  assert.match((await login({ ...device, address: server.url })).identity.name, /^lift /);
};

const text = ({ key, cert }: KeyPair) => key + cert;

const started = async (t: TestContext) => {
  const { storage, filesOf } = await databaseOf(t);
  const start = (folder = temporaryFolder(t), port = '0') =>
    startServer(t, folder, ['--storage', storage, '--port', port], { SECRET_KEY, ADMIN_PASSWORD });
  return { start, storage, pkiOf: (folder: string) => join(filesOf(folder), 'pki') };
};

test('two servers that begin on an empty database at once are one network: what enrolls on one logs in on the other', async (t) => {
  const { start } = await started(t);
  const [one, two] = await Promise.all([start(), start()]);
  const [first, second] = [await enroll(await jwtFrom(one)), await enroll(await jwtFrom(two))];
  assert.equal(first.ca, second.ca);
  await loginAt(two, first);
  await loginAt(one, second);
});

test('a server that lost its folder is the same one: for devices, and for those with a JWT of before', async (t) => {
  const { start, pkiOf } = await started(t);
  const folder = temporaryFolder(t);
  const before = await start(folder);
  const device = await enroll(await jwtFrom(before));
  const jwt = await jwtFrom(before);
  await before.stop();
  assert.deepEqual(readdirSync(pkiOf(folder)).sort(), ['root-ca.pem', 'server.private.pem'], 'the folder holds no authority');
  rmSync(pkiOf(folder), { recursive: true });

  const after = await start(folder, new URL(before.url).port);
  await loginAt(after, device);
  await loginAt(after, await enroll(jwt));
});

test('the root that a folder has of an earlier version becomes that of the network, once', async (t) => {
  const { start, pkiOf } = await started(t);
  const folder = temporaryFolder(t);
  const root = await newRoot();
  const [signer, server] = await Promise.all([newSigner(root), newServerCertificate(root, ['127.0.0.1', 'localhost', '::1'])]);
  mkdirSync(pkiOf(folder), { recursive: true });
  const put = (file: string, content: string) => writeFileSync(join(pkiOf(folder), file), content);
  put('root-ca.private.pem', text(root));
  put('root-ca.pem', root.cert);
  put('signer.private.pem', text(signer));
  put('server.private.pem', text(server));

  const first = await start(folder);
  assert.equal(readFileSync(first.told('root certificate') ?? '', 'utf8'), root.cert);
  assert.equal(readFileSync(join(pkiOf(folder), 'server.private.pem'), 'utf8'), text(server), 'its certificate is still good');
  const device = await enroll(await jwtFrom(first));
  assert.ok(new X509Certificate(device.cert).verify(new X509Certificate(signer.cert).publicKey));
  await first.stop();

  rmSync(pkiOf(folder), { recursive: true });
  const second = await start(folder);
  assert.equal(readFileSync(second.told('root certificate') ?? '', 'utf8'), root.cert);
  assert.ok(new X509Certificate(readFileSync(join(pkiOf(folder), 'server.private.pem'))).checkPrivateKey(createPrivateKey(server.key)));
  await loginAt(second, device);
});

test('a folder with another root than the network continues to serve those who trust it', async (t) => {
  const { start, pkiOf } = await started(t);
  const first = await start();
  const known = await enroll(await jwtFrom(first));
  await first.stop();

  const other = await newRoot();
  const folder = temporaryFolder(t);
  rmSync(pkiOf(folder), { recursive: true, force: true });
  mkdirSync(pkiOf(folder), { recursive: true });
  writeFileSync(join(pkiOf(folder), 'root-ca.private.pem'), text(other));
  writeFileSync(join(pkiOf(folder), 'root-ca.pem'), other.cert);
  const second = await start(folder);
  assert.equal(readFileSync(second.told('root certificate') ?? '', 'utf8'), other.cert);
  const device = await enroll(await jwtFrom(second));
  const certificates = device.ca.match(/-----BEGIN.+?END CERTIFICATE-----/gs)?.map((pem) => new X509Certificate(pem).fingerprint256);
  assert.equal(certificates?.length, 2, 'new devices trust both roots');
  assert.ok(certificates?.includes(new X509Certificate(other.cert).fingerprint256));
  // Those of before trust the network's first root only: they are served where a folder has that one.
  await assert.rejects(loginAt(second, known));
  await second.stop();
  rmSync(pkiOf(folder), { recursive: true });
  const third = await start(folder);
  await loginAt(third, known);
  await loginAt(third, device);
});

test('a server without the secret key of the network says which key it lacks, and makes none', async (t) => {
  const { start, storage } = await started(t);
  await (await start()).stop();
  const folder = temporaryFolder(t);
  const given = (args: readonly string[], environment = {}) =>
    runServer(folder, ['--storage', storage, '--port', '0', ...args], environment);
  const none = await given([]);
  assert.deepEqual([none.code, none.out], [1, '']);
  assert.match(
    none.err,
    /^error: the network in this database was created with a secret key, but \S*secret\.key does not exist: restore that file, or give the key as SECRET_KEY or with --secret-key-file\n$/,
  );
  assert.ok(!readdirSync(folder, { recursive: true }).some((file) => String(file).endsWith('secret.key')));
  const another = await given([], { SECRET_KEY: newSecretKey() });
  assert.equal(another.code, 1);
  assert.match(another.err, /^error: the secrets in this store were sealed under a different secretKey than the one given: [^\n]+\n$/);

  writeFileSync(join(folder, 'key'), `${SECRET_KEY}\n`);
  const args = ['--storage', storage, '--secret-key-file', 'key'];
  // The option counts more than the environment.
  const running = await startServer(t, folder, args, { SECRET_KEY: newSecretKey() });
  assert.ok(await running.login(ADMIN_PASSWORD));
  assert.equal(running.told('secret key'), undefined, 'it keeps none');
});

test('a network in memory that runs in the folder of another one leaves the authority of that one alone', withoutPostgres, async (t) => {
  const folder = temporaryFolder(t);
  const environment = { ADMIN_PASSWORD };
  const before = await startServer(t, folder, [], environment);
  const device = await enroll(await jwtFrom(before));
  const root = readFileSync(before.told('root certificate') ?? '', 'utf8');
  await before.stop();
  await (await startServer(t, folder, ['--storage', 'memory'], environment)).stop();
  const after = await startServer(t, folder, [], environment);
  assert.equal(readFileSync(after.told('root certificate') ?? '', 'utf8'), root);
  await loginAt(after, device);
  assert.equal((await enroll(await jwtFrom(after))).ca, device.ca, 'no other root is trusted');
});

test('a secret key file that is missing or empty is refused', withoutPostgres, async (t) => {
  const folder = temporaryFolder(t);
  const given = () => runServer(folder, ['--secret-key-file', 'key', '--port', '0']);
  assert.match((await given()).err, /^error: cannot read key: there is no such file or folder\n$/);
  writeFileSync(join(folder, 'key'), '\n');
  assert.match((await given()).err, /^error: key is empty: restore the secret key, /);
  mkdirSync(join(folder, 'data'), { recursive: true });
  writeFileSync(join(folder, 'data', 'secret.key'), '');
  assert.match((await runServer(folder, ['--port', '0'])).err, /^error: data\/secret\.key is empty: restore the secret key, /);
  assert.equal(readFileSync(join(folder, 'data', 'secret.key'), 'utf8'), '');
});
