import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { lastBackupIn } from '../../adapters/backups/backup-folder.ts';
import { backupFolder, newBackupKey, readBackup } from '../../adapters/backups/node.ts';
import { temporaryFolder } from '../examples/child.ts';

const NAME = '20261121-100000-x';

async function* parts(...texts: readonly (string | Error)[]) {
  for (const text of texts) {
    if (text instanceof Error) throw text;
    yield text;
  }
}

const textOf = async (bytes: AsyncIterable<Uint8Array>): Promise<string> => {
  const all: Uint8Array[] = [];
  for await (const part of bytes) all.push(part);
  return Buffer.concat(all).toString();
};

test('a backup is compressed, for the eyes of its owner, with a checksum that sha256sum reads', async (t) => {
  const folder = join(temporaryFolder(t), 'deep', 'backups');
  await backupFolder(folder).save(NAME, parts('a\n', 'é😀\n'));
  const file = `${NAME}.ndjson.gz`;
  assert.deepEqual(readdirSync(folder), [file, `${file}.sha256`]);
  const stored = readFileSync(join(folder, file));
  assert.equal(gunzipSync(stored).toString(), 'a\né😀\n');
  assert.equal(readFileSync(join(folder, `${file}.sha256`), 'latin1'), `${createHash('sha256').update(stored).digest('hex')}  ${file}\n`);
  assert.deepEqual([statSync(join(folder, file)).mode & 0o777, statSync(folder).mode & 0o777], [0o600, 0o700]);
  assert.equal(await textOf(readBackup(join(folder, file))), 'a\né😀\n');
});

test('each of its recipients reads an encrypted one, and nobody else', async (t) => {
  const folder = temporaryFolder(t);
  const [ann, bob, eve] = await Promise.all([newBackupKey(), newBackupKey(), newBackupKey()]);
  const text = 'the password hashes\n'.repeat(50_000);
  await backupFolder(folder, { recipients: [ann.recipient, bob.recipient] }).save(NAME, parts(text));
  const file = join(folder, `${NAME}.ndjson.gz.age`);
  assert.match(readFileSync(file, 'latin1'), /^age-encryption\.org\/v1\n-> X25519 /);
  assert.equal(await textOf(readBackup(file, { keys: [ann.key] })), text);
  assert.equal(await textOf(readBackup(file, { keys: [eve.key, bob.key] })), text);
  await assert.rejects(textOf(readBackup(file, { keys: [eve.key] })), /cannot be decrypted with this key/);
  await assert.rejects(textOf(readBackup(file)), /is encrypted: give the private key of one of its recipients/);
  await assert.rejects(textOf(readBackup(file, { keys: [ann.recipient] })), /must be a private key of age/);
});

test('one byte that changed on the disk is found by the checksum, and without it by the encryption', async (t) => {
  const folder = temporaryFolder(t);
  const { key, recipient } = await newBackupKey();
  await backupFolder(folder, { recipients: [recipient] }).save(NAME, parts('a\n'.repeat(1000)));
  const file = join(folder, `${NAME}.ndjson.gz.age`);
  const bytes = readFileSync(file);
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
  writeFileSync(file, bytes);
  await assert.rejects(
    textOf(readBackup(file, { keys: [key] })),
    /is damaged: its SHA-256 is [0-9a-f]{64}, and .*\.sha256 has [0-9a-f]{64}/,
  );
  const alone = join(folder, 'alone');
  writeFileSync(alone, bytes);
  await assert.rejects(textOf(readBackup(alone, { keys: [key] })));
});

test('of one that fails nothing is left, and lists have complete ones only', async (t) => {
  const folder = temporaryFolder(t);
  const store = backupFolder(folder);
  await assert.rejects(store.save(NAME, parts('a\n', new Error('the store is gone'))), /the store is gone/);
  assert.deepEqual(readdirSync(folder), []);
  for (const name of ['20261121-100000-y.part', 'notes.txt', '20261121-100000-../z.ndjson.gz'.replace('/', '_')])
    writeFileSync(join(folder, name), '');
  await store.save(NAME, parts('a\n'));
  assert.deepEqual(await store.list(), [NAME]);
  await store.delete('20261121-100000-other');
  await store.delete(NAME);
  assert.deepEqual(
    readdirSync(folder).filter((file) => file.startsWith(NAME)),
    [],
  );
  assert.ok(readdirSync(folder).includes('notes.txt'));
});

test('what a killed process left is deleted a day later, and no file of another program', async (t) => {
  const folder = temporaryFolder(t);
  const others = ['20261120.part', '20261120 film.part', '2001.part', 'downloads.part'];
  for (const name of ['20261120-100000-a.part', '20261122-090000-b.part', ...others]) writeFileSync(join(folder, name), '');
  await backupFolder(folder).save('20261122-100000-c', parts('a\n'));
  assert.deepEqual(
    readdirSync(folder).filter((file) => file.endsWith('.part')),
    [...others, '20261122-090000-b.part'].sort(),
  );
});

test('snapshots are read as they are, and a compressed one by its bytes, whatever its name', async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'plain'), 'a\n');
  writeFileSync(join(folder, 'zipped'), gzipSync('a\n'));
  writeFileSync(join(folder, 'empty'), '');
  assert.deepEqual(await Promise.all(['plain', 'zipped', 'empty'].map((name) => textOf(readBackup(join(folder, name))))), [
    'a\n',
    'a\n',
    '',
  ]);
  await assert.rejects(textOf(readBackup(join(folder, 'missing'))), /ENOENT/);
});

test('a recipient that is none is refused before anything is written', () => {
  assert.throws(
    () => backupFolder('nowhere', { recipients: ['age1nonsense'] }),
    /must be a public key of age, such as age1…, got 'age1nonsense'/,
  );
});

test('the latest backup is not one that was named while a clock was ahead, unless there is no other', async (t) => {
  const folder = temporaryFolder(t);
  const store = backupFolder(folder);
  const path = (name: string) => join(folder, `${name}.ndjson.gz`);
  assert.equal(await lastBackupIn(folder), undefined);
  await store.save('99991121-100000-x', parts('a\n'));
  assert.equal(await lastBackupIn(folder), path('99991121-100000-x'));
  for (const name of ['20251121-100000-x', '20251121-160000-x']) await store.save(name, parts('a\n'));
  assert.equal(await lastBackupIn(folder), path('20251121-160000-x'));
  assert.equal(await lastBackupIn(folder, '2025-11-21T10:00:00.999Z'), path('20251121-100000-x'));
});
