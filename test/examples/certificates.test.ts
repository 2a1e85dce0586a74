import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type TestContext, test } from 'node:test';
import { connect } from 'node:tls';
import { memoryStorage } from '../../adapters/storage/memory/index.ts';
import { listen } from '../../server/listen.ts';
import { readOptions } from '../../server/options.ts';
import { prepareTls } from '../../server/tls.ts';
import { authority, party } from '../support/pki.ts';
import { until } from '../support/until.ts';
import { type Running, runServer, startServer, temporaryFolder } from './child.ts';

const onPosix = { skip: process.platform === 'win32' && 'signals end processes there' };
const [NOW, DAY] = [Date.now(), 86_400_000];
const ca = await authority('ca', { notBefore: NOW - 9 * DAY, notAfter: NOW + 90 * DAY });
/** A certificate and key of a server, in PEM. */
const pair = (name: string, { dnsNames = ['localhost'], ends = NOW + 30 * DAY } = {}) =>
  party(name, { by: ca, notBefore: NOW - 8 * DAY, notAfter: ends, names: { dnsNames, ipAddresses: ['127.0.0.1'] } });
type Pair = Awaited<ReturnType<typeof pair>>;

const write = (folder: string, { cert, key }: Pick<Pair, 'cert' | 'key'>) => {
  writeFileSync(join(folder, 'cert.pem'), cert);
  writeFileSync(join(folder, 'key.pem'), key);
};

/** Common name of the certificate that a new connection gets. */
const presented = async (port: number): Promise<string | undefined> => {
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const name = socket.getPeerX509Certificate()?.subject.replace(/^.*CN=/s, '');
  socket.destroy();
  return name;
};

const program = resolve(import.meta.dirname, '../../server/main.ts');
const FILES = ['--tls', 'cert.pem,key.pem'];

/** A server in this process whose clock for reading files again is the test's. */
const listening = async (t: TestContext, folder: string, ...args: readonly string[]) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const options = readOptions([...args, '--port', '0'], {});
  assert.ok(options);
  const network = { storage: memoryStorage(), secretKey: undefined, folder, isKept: true };
  const certificate = await prepareTls(options, network);
  const said: string[] = [];
  const say = (level: string) => (sentence: string) => void said.push(`${level}: ${sentence}`);
  const messages = { info: say('info'), warn: say('warn'), error: say('error') };
  const controller = { handle: async () => ({ status: 200, headers: {}, body: 'here' }) };
  const serving = await listen({
    requestTimeoutMs: 10_000,
    controller,
    host: '127.0.0.1',
    port: 0,
    certificate,
    routers: undefined,
    trustedProxies: [],
    messages,
  });
  t.after(() => serving.close(0));
  t.after(() => void process.removeAllListeners('SIGHUP'));
  /** Lets ten seconds pass, and waits until the files were read. */
  const pass = async (words: RegExp) => {
    t.mock.timers.tick(10_000);
    await until(() => said.some((sentence) => words.test(sentence)));
    return said.splice(0);
  };
  return { certificate, port: serving.port, said, pass };
};

test('a certificate whose files change is in use ten seconds later, for TLS and for the JWTs of the network', async (t) => {
  const folder = temporaryFolder(t);
  const [first, second] = [await pair('first'), await pair('second')];
  write(folder, first);
  const files = ['--tls', `${join(folder, 'cert.pem')},${join(folder, 'key.pem')}`];
  const { certificate, port, pass } = await listening(t, folder, ...files);
  assert.equal(await presented(port), 'first');
  write(folder, second);
  const said = await pass(/renewed certificate/);
  assert.match(said.join(), /^info: new connections use the renewed certificate, valid until /);
  assert.equal(await presented(port), 'second');
  assert.ok(certificate?.pki.serverCertificate);
  assert.equal((await certificate.pki.serverCertificate()).cert, second.cert);
});

test('a certificate that does not fit leaves the one in use, says why once, and the next one that fits takes its place', async (t) => {
  const folder = temporaryFolder(t);
  const [first, second, expired] = [await pair('first'), await pair('second'), await pair('expired', { ends: NOW - DAY })];
  const other = await pair('other', { dnsNames: ['elsewhere.example'] });
  write(folder, first);
  const files = ['--tls', `${join(folder, 'cert.pem')},${join(folder, 'key.pem')}`, '--address', 'https://localhost'];
  const { certificate, port, pass, said } = await listening(t, folder, ...files);
  const unfit: readonly (readonly [Pick<Pair, 'cert' | 'key'>, RegExp])[] = [
    [{ cert: second.cert, key: first.key }, /the key in \S+key\.pem does not belong to the certificate in \S+cert\.pem$/],
    [{ cert: 'half of', key: second.key }, /cert\.pem contains no certificate in PEM$/],
    [{ cert: second.cert, key: '' }, /key\.pem contains no private key in PEM without a passphrase$/],
    [
      { cert: `${second.cert}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`, key: second.key },
      /TLS cannot use the certificates in/,
    ],
    [expired, /the certificate in \S+cert\.pem has expired, on /],
  ];
  for (const [files, why] of unfit) {
    write(folder, files);
    const [sentence = '', ...more] = await pass(why);
    assert.match(sentence, /^warn: the certificate in use is kept: /);
    assert.deepEqual(more, []);
    assert.equal(await presented(port), 'first');
    assert.ok(certificate?.pki.serverCertificate);
    assert.equal((await certificate.pki.serverCertificate()).cert, first.cert);
  }
  renameSync(join(folder, 'cert.pem'), join(folder, 'away.pem'));
  await pass(/cannot read \S+cert\.pem: there is no such file/);
  t.mock.timers.tick(60_000);
  write(folder, other);
  const sentences = await pass(/is not for localhost but for/);
  assert.deepEqual(sentences.length, 2, 'nothing was said of the missing file again');
  assert.equal(await presented(port), 'other');
  assert.deepEqual(said, []);
});

test('a certificate behind a link is followed, as secrets are mounted', onPosix, async (t) => {
  const folder = temporaryFolder(t);
  const [first, second] = [await pair('first'), await pair('second')];
  for (const [name, { cert, key }] of Object.entries({ first, second })) writeFileSync(join(folder, `${name}.pem`), cert + key);
  symlinkSync('first.pem', join(folder, 'current.pem'));
  const { port, pass } = await listening(t, folder, '--tls', `${join(folder, 'current.pem')},${join(folder, 'current.pem')}`);
  symlinkSync('second.pem', join(folder, 'next.pem'));
  renameSync(join(folder, 'next.pem'), join(folder, 'current.pem'));
  await pass(/renewed certificate/);
  assert.equal(await presented(port), 'second');
});

test('a file of the server’s own that is damaged gets back what is in use, with a line', async (t) => {
  const folder = temporaryFolder(t);
  const { certificate, pass } = await listening(t, folder);
  const file = join(folder, 'pki', 'server.private.pem');
  const before = readFileSync(file, 'utf8');
  writeFileSync(file, before.slice(0, 500));
  const said = await pass(/contained no usable certificate/);
  assert.match(said.join(), /^warn: the certificate in use is kept: \S+server\.private\.pem contained no usable certificate/);
  assert.equal(readFileSync(file, 'utf8'), before);
  assert.ok(before.includes((await certificate?.pki.serverCertificate?.())?.cert ?? 'none'));
});

const portOf = ({ url }: Running): number => Number(new URL(url).port);
/** Sends SIGHUP, and waits for what the server says to it. */
const hangUp = async ({ child }: Running, words: RegExp) => {
  const { stdout, stderr } = child;
  assert.ok(stdout && stderr);
  const said = new Promise<void>((resolve) => {
    for (const stream of [stdout, stderr]) stream.on('data', (part: Buffer) => words.test(String(part)) && resolve());
  });
  child.kill('SIGHUP');
  await said;
};

test('SIGHUP reads the certificate again, and ends no server', onPosix, async (t) => {
  const folder = temporaryFolder(t);
  const [first, second] = [await pair('first'), await pair('second')];
  write(folder, first);
  const server = await startServer(t, folder, ['--storage', 'memory', ...FILES]);
  await hangUp(server, /the certificate was reloaded and has not changed/);
  writeFileSync(join(folder, 'cert.pem'), second.cert);
  await hangUp(server, /warning: the certificate in use is kept: the key in key\.pem does not belong to the certificate in cert\.pem/);
  assert.equal(await presented(portOf(server)), 'first');
  write(folder, second);
  await hangUp(server, /new connections use the renewed certificate/);
  assert.equal(await presented(portOf(server)), 'second');
  server.child.kill('SIGHUP');
  assert.equal((await server.stop()).code, 0);
});

test('SIGHUP ends neither a server without TLS nor one that waits for its database', onPosix, async (t) => {
  const folder = temporaryFolder(t);
  const plain = await startServer(t, folder, ['--storage', 'memory', '--tls', 'off']);
  plain.child.kill('SIGHUP');
  assert.equal((await plain.request('GET', '/version')).status, 200);
  assert.equal((await plain.stop()).code, 0);

  const waiting = spawn(process.execPath, [program, '--storage', 'sqlite:x.db', '--migrations', 'wait', '--port', '0'], { cwd: folder });
  t.after(() => waiting.kill('SIGKILL'));
  await once(waiting.stdout, 'data');
  waiting.kill('SIGHUP');
  waiting.kill('SIGTERM');
  assert.deepEqual(await once(waiting, 'exit'), [143, null]);
});

test('rotate-certificate issues another certificate for the same names and key, and a running server takes it', onPosix, async (t) => {
  const folder = temporaryFolder(t);
  const server = await startServer(t, folder, ['--address', 'https://overlay.example.com'], { ADMIN_PASSWORD: 'a-good-password' });
  const certificate = () =>
    new X509Certificate(readFileSync(join(folder, 'data', 'pki', 'server.private.pem'), 'utf8').replace(/^.*?(?=-----BEGIN CERT)/s, ''));
  const before = certificate();
  const { code, out, err } = await runServer(folder, ['rotate-certificate']);
  assert.deepEqual([code, err], [0, '']);
  assert.match(out, /^issued a new certificate in \S+server\.private\.pem, valid until .*, for DNS:localhost, .*DNS:overlay\.example\.com/);
  const after = certificate();
  assert.notEqual(after.serialNumber, before.serialNumber);
  assert.equal(after.subjectAltName, before.subjectAltName);
  assert.ok(after.publicKey.equals(before.publicKey));
  // On a busy machine ten seconds may have passed, after which the server has it already.
  await hangUp(server, /new connections use the renewed certificate|has not changed/);
  assert.ok(await server.login('a-good-password'), 'clients that trust the root go on');
  assert.equal((await server.stop()).code, 0);
});
