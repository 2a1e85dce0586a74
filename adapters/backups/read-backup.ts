import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import { createGunzip } from 'node:zlib';
import { Decrypter } from 'age-encryption';
import { CHECKSUM, checksumOf } from './backup-folder.ts';

/** Options of `readBackup`. */
export interface ReadBackupOptions {
  /** Private keys of age, such as `AGE-SECRET-KEY-1…`: one of them must be able to decrypt the backup. Default: none. */
  readonly keys?: readonly string[] | undefined;
}

const ENCRYPTED = 'age-encryption.org/v1\n';
const COMPRESSED = '\x1f\x8b';

/**
 * Reads a backup, or a snapshot, for `restoreSnapshot`: compares it with its checksum if there is one beside it, decrypts and decompresses
 * it, as its first bytes tell.
 *
 * ```ts
 * await restoreSnapshot({ storage, snapshot: readBackup('backups/20261121-100000-x.ndjson.gz.age', { keys }) });
 * ```
 * @throws Error that names the file if its checksum differs, or if no key decrypts it; TypeError for an invalid key; errors of the file
 * system
 */
export async function* readBackup(file: string, { keys = [] }: ReadBackupOptions = {}): AsyncGenerator<Uint8Array> {
  await verifyChecksum(file);
  const [isEncrypted, stored] = await startsWith(ENCRYPTED, createReadStream(file));
  const [isCompressed, decrypted] = await startsWith(COMPRESSED, isEncrypted ? await decrypt(file, stored, keys) : stored);
  yield* isCompressed ? Readable.from(decrypted).compose(createGunzip()) : decrypted;
}

/** @throws Error if the file differs from the checksum beside it */
const verifyChecksum = async (file: string): Promise<void> => {
  const text = await readFile(file + CHECKSUM, 'latin1').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return;
  const [expected] = text.split(' ', 1);
  const actual = await checksumOf(file);
  if (actual !== expected)
    throw new Error(`${basename(file)} is damaged: its SHA-256 is ${actual}, and ${basename(file)}${CHECKSUM} has ${expected}`);
};

const decrypt = async (file: string, stored: AsyncIterable<Uint8Array>, keys: readonly string[]): Promise<AsyncIterable<Uint8Array>> => {
  if (keys.length === 0) throw new Error(`${basename(file)} is encrypted: give the private key of one of its recipients`);
  const decrypter = new Decrypter();
  for (const key of keys)
    try {
      decrypter.addIdentity(key);
    } catch {
      throw new TypeError('a key of backups must be a private key of age, such as AGE-SECRET-KEY-1…');
    }
  try {
    // The streams of Node and of the standard library of TypeScript are the same, with different types.
    return (await decrypter.decrypt(ReadableStream.from(stored) as globalThis.ReadableStream<Uint8Array>)) as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw new Error(`${basename(file)} cannot be decrypted with this key: use that of one of its recipients`, { cause: error });
  }
};

/** @returns whether the bytes begin with a text, and the same bytes again */
const startsWith = async (text: string, bytes: AsyncIterable<Uint8Array>): Promise<readonly [boolean, AsyncIterable<Uint8Array>]> => {
  const iterator = bytes[Symbol.asyncIterator]();
  let first = Buffer.alloc(0);
  while (first.length < text.length) {
    const { value, done } = await iterator.next();
    if (done) break;
    first = Buffer.concat([first, value]);
  }
  async function* again() {
    try {
      yield first;
      yield* { [Symbol.asyncIterator]: () => iterator };
    } finally {
      await iterator.return?.();
    }
  }
  return [first.toString('latin1', 0, text.length) === text, again()];
};
