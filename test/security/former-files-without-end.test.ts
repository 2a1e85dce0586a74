/**
 * The command adopt and the server read files that a configuration names. Devices never end, pipes wait, and some texts take the time of
 * their size squared.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { memoryStorage } from '../../adapters/storage/memory/index.ts';
import { readFormerConfig } from '../../adopt/command/former-config.ts';
import { openFormerDatabase } from '../../adopt/reader/former-database.ts';
import { readDocument } from '../../server/commands/state-file.ts';
import { StartFailure } from '../../server/failure.ts';
import { readIfExists } from '../../server/files.ts';
import { ensureSecretKey } from '../../server/secret-key.ts';
import { prepareKept } from '../../server/storage.ts';

const folder = mkdtempSync(join(tmpdir(), 'endless-'));
after(() => rmSync(folder, { recursive: true }));
const config = join(folder, 'ctrl.yaml');
const skip = process.platform === 'win32' ? 'Windows has no such files' : false;

/** A configuration that names a file as its key. */
const naming = (key: string): string => {
  writeFileSync(config, `edge: { enrollment: { signingCert: { cert: ${JSON.stringify(key)}, key: ${JSON.stringify(key)} } } }`);
  return config;
};

const refused = (message: RegExp) => (error: unknown) => error instanceof StartFailure && message.test(error.message);

test('a device is not accepted as a key, a configuration, a document or a secret key', { skip }, async () => {
  const device = refused(/^cannot read \/dev\/zero: it is not a regular file$/);
  assert.throws(() => readFormerConfig(naming('/dev/zero')), device);
  assert.throws(() => readFormerConfig('/dev/zero'), device);
  await assert.rejects(readDocument(['/dev/zero']), device);
  const key = { storage: { is: 'sqlite', file: 'x' }, secretKeyFile: '/dev/zero' } as const;
  await assert.rejects(ensureSecretKey(key, memoryStorage(), folder), device);
  await assert.rejects(openFormerDatabase('/dev/zero'), /\/dev\/zero is not a file/);
});

test('nobody waits for the writer of a pipe', { skip }, async () => {
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  assert.throws(() => readFormerConfig(naming(pipe)), refused(/it is not a regular file/));
  await assert.rejects(readIfExists(pipe), refused(/it is not a regular file/));
  await assert.rejects(openFormerDatabase(pipe), /is not a file/);
});

test('a path with the character U+0000 is reported in a sentence', async () => {
  const odd = refused(/^cannot (read|open).*: its path contains the character U\+0000$/s);
  assert.throws(() => readFormerConfig(naming('a\0b')), odd);
  await assert.rejects(readIfExists('a\0b'), odd);
  await assert.rejects(prepareKept({ is: 'sqlite', file: join(folder, 'a\0b') }, { readOnly: true }), odd);
});

test('a key and a configuration are read only if they are small', async () => {
  const large = join(folder, 'large');
  writeFileSync(large, 'x'.repeat(2 ** 20 + 1));
  assert.throws(() => readFormerConfig(naming(large)), refused(/it has more than 1048576 bytes/));
  writeFileSync(config, Array.from({ length: 20_000 }, (_, i) => `k${i}: 1`).join('\n'));
  assert.throws(() => readFormerConfig(config), refused(/it has more than 131072 bytes/));
  assert.equal((await readIfExists(config))?.length, 188_889);
});
