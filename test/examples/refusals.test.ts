import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash, generateKeyPairSync } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { type Ended, runServer, startServer, temporaryFolder } from './child.ts';

/** One sentence on the error output, no stack, exit code 1. */
const refused = ({ code, out, err }: Ended, sentence: RegExp): void => {
  assert.match(err, sentence);
  assert.equal(err.trim().split('\n').length, 1, err);
  assert.deepEqual({ code, out }, { code: 1, out: '' });
};

test('options that mean nothing are refused', async (t) => {
  const folder = temporaryFolder(t);
  refused(await runServer(folder, ['--prot', '1280']), /^error: unknown option --prot: did you mean --port\?$/m);
  refused(
    await runServer(folder, ['--storage', 'postgres://ann:secret@127.0.0.1:9/overlay', '--tls', 'off', '--port', '0']),
    /^error: the database is unavailable: connect ECONNREFUSED 127\.0\.0\.1:9$/m,
  );
});

test('--help says what there is', async (t) => {
  const { code, out } = await runServer(temporaryFolder(t), ['--help']);
  assert.equal(code, 0);
  for (const option of [
    '--host',
    '--port',
    '--storage',
    '--admin-username',
    '--admin-password',
    '--tls',
    '--secret-key-file',
    '--drain',
    '--metrics',
    '--health',
    '--log',
    '--spa',
    'SECRET_KEY',
    'Exit status',
  ])
    assert.ok(out.includes(option), option);
});

test('a port in use is refused before there is a network whose password nobody saw', async (t) => {
  const folder = temporaryFolder(t);
  const other = createServer().listen(0, '127.0.0.1');
  t.after(() => other.close());
  await new Promise((done) => other.once('listening', done));
  const { port } = other.address() as { port: number }; // a TCP server has one
  refused(await runServer(folder, ['--port', String(port)]), new RegExp(`^error: port ${port} of 127\\.0\\.0\\.1 is in use: `));
  assert.ok((await startServer(t, folder)).told('password'));
});

test('an address that the machine has not is refused', async (t) => {
  refused(
    await runServer(temporaryFolder(t), ['--storage', 'memory', '--port', '0', '--host', '192.0.2.1']),
    /^error: 192\.0\.2\.1 is not an address of this machine: /,
  );
});

test('a place that cannot be written is refused', async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'file'), '');
  mkdirSync(join(folder, 'folder.db'));
  refused(
    await runServer(folder, ['--storage', 'sqlite:file/controller.db']),
    /^error: cannot create the folder file: (a part of the path is a file|a file with that name already exists)/,
  );
  refused(
    await runServer(folder, ['--storage', 'sqlite:folder.db']),
    /^error: cannot write the database folder\.db: it is a folder, not a file$/m,
  );
});

const program = resolve(import.meta.dirname, '../../server/main.ts');
const isRoot = process.getuid?.() === 0;
/** Root may write everywhere, but for a process that has given up this right. */
const unprivileged = isRoot ? ['setpriv', '--bounding-set', '-dac_override'] : ['env'];
const needsSetpriv = {
  skip: isRoot && spawnSync('setpriv', ['--version']).status !== 0 && 'root may write everywhere, and setpriv is not installed',
};

test('a folder without the right to write is refused', needsSetpriv, (t) => {
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, 'locked'), { mode: 0o500 });
  const [command = '', ...options] = [...unprivileged, process.execPath, program, '--storage', 'sqlite:locked/controller.db'];
  const { status, signal, stdout, stderr } = spawnSync(command, options, { cwd: folder, encoding: 'utf8' });
  refused(
    { code: status, signal, out: stdout, err: stderr },
    /^error: cannot create the database locked\/controller\.db: permission denied$/m,
  );
  chmodSync(join(folder, 'locked'), 0o700);
});

/** Runs a script of the shell with the place of a folder and of Node, where it may mount file systems. */
const mounting = (script: string, folder = '/') =>
  spawnSync('unshare', ['--map-root-user', '--mount', 'sh', '-ec', script, 'sh', folder, process.execPath, program], { encoding: 'utf8' });
const mayMount = mounting('true').status === 0;

test('a read-only root is refused for what it is', { skip: mayMount ? false : 'this user may mount nothing' }, (t) => {
  for (const storage of ['sqlite:data/controller.db', 'sqlite:data/deep/controller.db', 'memory']) {
    const script = `mount -t tmpfs -o ro none "$1"; cd "$1"; exec "$2" "$3" --port 0 --storage ${storage}`;
    const { status, stdout, stderr } = mounting(script, temporaryFolder(t));
    refused(
      { code: status, signal: null, out: stdout, err: stderr },
      /^error: cannot create the folder \S*data\S*: the file system is read-only$/m,
    );
  }
});

test('a version of Node that is too old is refused in one line', async (t) => {
  const oldest = JSON.parse(readFileSync(resolve(program, '../../package.json'), 'utf8')).engines.node.replace('>=', '');
  for (const version of ['20.19.5', '22.17.1', '18.0.0']) {
    const pretend = `data:text/javascript,Object.defineProperty(process.versions,'node',{value:'${version}'})`;
    refused(
      await runServer(temporaryFolder(t), ['--port', '0'], { NODE_OPTIONS: `--import "${pretend}"` }),
      new RegExp(`^error: overlay-controller needs Node ${oldest} or later, this is ${version}\n$`),
    );
  }
});

test('a database from a newer version is refused and left as it was', async (t) => {
  const folder = temporaryFolder(t);
  const file = join(folder, 'data', 'controller.db');
  await (await startServer(t, folder)).stop();
  const database = new DatabaseSync(file);
  database.exec("insert into overlay_controller_migrations (version, name) values (9999, 'of tomorrow')");
  database.close();
  const digest = () => createHash('sha256').update(readFileSync(file)).digest('hex');
  const before = digest();
  refused(
    await runServer(folder, ['--port', '0']),
    /^error: the database has schema version 9999, and this release knows versions up to \d+: /,
  );
  assert.equal(digest(), before);
});

test('a file that is not a database is refused', async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'notes.txt'), 'these are my notes, and no database at all\n'.repeat(100));
  refused(await runServer(folder, ['--storage', 'sqlite:notes.txt', '--port', '0']), /^error: .*not a database/);
});

test('a password outside the limits is refused, and the next start makes the network', async (t) => {
  const folder = temporaryFolder(t);
  refused(
    await runServer(folder, ['--port', '0', '--admin-password', 'four']),
    /^error: the password of the first administrator must have 5 to 100 characters$/m,
  );
  refused(
    await runServer(folder, ['--port', '0', '--admin-username', 'ann']),
    /^error: the username of the first administrator must have 4 to 100 characters$/m,
  );
  assert.ok((await startServer(t, folder)).told('password'));
});

test('certificates that cannot be used are refused', async (t) => {
  const folder = temporaryFolder(t);
  await (await startServer(t, folder)).stop();
  const pki = join(folder, 'data', 'pki');
  const given = (cert: string, key: string) => runServer(folder, ['--storage', 'memory', '--port', '0', '--tls', `${cert},${key}`]);
  const server = join(pki, 'server.private.pem');
  writeFileSync(
    join(folder, 'other.key'),
    generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
  );
  refused(await given('none.pem', server), /^error: cannot read none\.pem: there is no such file or folder$/m);
  refused(await given(join(folder, 'other.key'), server), /^error: \S+other\.key contains no certificate in PEM$/m);
  refused(await given(server, join(pki, 'root-ca.pem')), /^error: \S+root-ca\.pem contains no private key in PEM without a passphrase$/m);
  refused(
    await given(server, join(folder, 'other.key')),
    /^error: the key in \S+other\.key does not belong to the certificate in \S+server\.private\.pem$/m,
  );
  const good = await startServer(t, folder, ['--storage', 'memory', '--tls', `${server},${server}`]);
  assert.match(good.said, /^listening on https:/m);

  for (const [storage, of] of [
    ['memory', 'pki-memory'],
    ['sqlite:data/controller.db', 'pki'],
  ] as const) {
    mkdirSync(join(folder, 'data', of), { recursive: true });
    writeFileSync(join(folder, 'data', of, 'root-ca.private.pem'), 'half of i');
    refused(
      await runServer(folder, ['--port', '0', '--storage', storage]),
      /^error: \S+root-ca\.private\.pem does not contain a private key and its certificate: restore it from a backup, /,
    );
  }
});
