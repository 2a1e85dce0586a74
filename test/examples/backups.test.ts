import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readOptions } from '../../server/options.ts';
import { until } from '../support/until.ts';
import { type Ended, runServer, startServer, temporaryFolder } from './child.ts';

const PASSWORD = 'the-admin-password';

const done = ({ code, out, err }: Ended): string => {
  assert.deepEqual([code, err], [0, '']);
  return out;
};
const refused = ({ code, out, err }: Ended, sentence: RegExp): void => {
  assert.match(err, sentence);
  assert.deepEqual([code, out], [1, '']);
};

test('a server takes encrypted backups; with the private key, the latest is verified, and restored', async (t) => {
  const folder = temporaryFolder(t);
  const run = (...args: readonly string[]) => runServer(folder, args);
  const [, recipient = ''] = /\n(age1\S+)/.exec(done(await run('backup', 'key', '--backup-key-file', 'backup.key'))) ?? [];
  assert.equal(statSync(join(folder, 'backup.key')).mode & 0o777, 0o600);
  refused(await run('backup', 'key', '--backup-key-file', 'backup.key'), /backup\.key exists already/);

  const backups = ['--backup-folder', 'backups', '--backup-recipient', recipient] as const;
  const server = await startServer(t, folder, ['--admin-password', PASSWORD, ...backups]);
  const list = () =>
    existsSync(join(folder, 'backups')) ? readdirSync(join(folder, 'backups')).filter((file) => file.endsWith('.age')) : [];
  await until(() => list().length === 1);
  const token = await server.login(PASSWORD);
  const body = { name: 'ann', type: 'User', isAdmin: false };
  assert.equal((await server.request('POST', '/identities', { token, body })).status, 201);
  assert.match(
    done(await run('backup', ...backups)),
    /^took a backup of sqlite:data\/controller\.db, revision \d+: backups\/\S+\.ndjson\.gz\.age$/m,
  );
  await server.stop();

  const scratch = join(folder, 'scratch');
  mkdirSync(scratch);
  const verify = (...more: readonly string[]) =>
    runServer(folder, ['backup', '--verify', '--backup-folder', 'backups', ...more], { TMPDIR: scratch });
  assert.match(done(await verify('--backup-key-file', 'backup.key')), /^backups\/\S+\.age is complete: \d+ rows of 20\S+, revision \d+$/m);
  refused(await verify(), /is encrypted: give the private key of one of its recipients/);
  assert.deepEqual(
    readdirSync(scratch).filter((name) => name.startsWith('overlay-controller-')),
    [],
  );

  const latest = join('backups', list().sort().at(-1) ?? '');
  const restore = ['restore', '--snapshot', latest, '--backup-key-file', 'backup.key', '--secret-key-file', 'data/secret.key'];
  assert.match(done(await run(...restore, '--storage', 'sqlite:other/controller.db')), /^restored \d+ rows/m);
  const found = done(await run('inspect', '--storage', 'sqlite:other/controller.db', '--list', 'identity', '--filter', 'name = "ann"'));
  assert.match(found, /ann/);

  const bytes = readFileSync(join(folder, latest));
  writeFileSync(join(folder, latest), bytes.subarray(0, -1));
  refused(await verify('--backup-key-file', 'backup.key'), /\.age is damaged: its SHA-256 is/);
});

test('options of backups are refused with what would be right, before anything is opened', async (t) => {
  const folder = temporaryFolder(t);
  const refusedWith = async (sentence: RegExp, ...args: readonly string[]) => refused(await runServer(folder, args), sentence);
  await refusedWith(/--backup-folder is missing: without it, no backups are taken/, '--backup-keep', '7');
  await refusedWith(
    /--backup-recipient: .*must be a public key of age, such as age1…, got 'x'/,
    '--backup-folder',
    'b',
    '--backup-recipient',
    'x',
  );
  await refusedWith(/backup needs --backup-folder FOLDER/, 'backup');
  await refusedWith(/cannot read none\.key: there is no such file/, 'backup', '--verify', '--backup', 'x', '--backup-key-file', 'none.key');
  assert.throws(() => readOptions(['--backup-hours', '169'], {}), /--backup-hours must be a number from 1 to 168, got '169'/);
  assert.throws(() => readOptions(['--backup-keep', '0'], {}), /--backup-keep must be a number from 1 to 10000, got '0'/);
  const { backupFolder, backupRecipients } =
    readOptions([], { OVERLAY_BACKUP_FOLDER: '/backups', OVERLAY_BACKUP_RECIPIENT: 'age1x' }) ?? {};
  assert.deepEqual([backupFolder, backupRecipients], ['/backups', ['age1x']]);
  assert.deepEqual(readdirSync(folder), []);
});
