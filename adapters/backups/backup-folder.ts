import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ReadableStream } from 'node:stream/web';
import { createGzip } from 'node:zlib';
import { Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';
import { type BackupStore, snapshotTime } from '../../src/adapter-kit.ts';
import { flushFolder, makeFolder } from '../platform/folders.ts';

/** Options of `backupFolder`. */
export interface BackupFolderOptions {
  /**
   * The recipients of age that can decrypt the backups, such as `age1…` of `newBackupKey`. Each can decrypt them alone, and the controller
   * cannot. Default: backups are not encrypted.
   */
  readonly recipients?: readonly string[] | undefined;
}

/** A key pair of age. */
export interface BackupKey {
  /** The private key, `AGE-SECRET-KEY-1…`, which decrypts backups. Keep it away from the machines of the controllers. */
  readonly key: string;
  /** The public key, `age1…`, for which backups are encrypted. */
  readonly recipient: string;
}

/** Creates a key pair for encrypted backups, as `age-keygen` does. */
export const newBackupKey = async (): Promise<BackupKey> => {
  const key = await generateX25519Identity();
  return { key, recipient: await identityToRecipient(key) };
};

/** The files of a backup: the name, its extension, and the checksum beside it. */
const FILE = /^(\d{8}-\d{6}-[A-Za-z0-9-]+)\.ndjson\.gz(?:\.age)?$/;

/** The extension of a file that is not complete. */
const PART = '.part';
const ABANDONED = /^(\d{4})(\d\d)(\d\d)-\d{6}-[A-Za-z0-9-]+\.part$/;

/** The extension of the file with the checksum of another one, as `sha256sum --check` reads it. */
export const CHECKSUM = '.sha256';

/**
 * Stores the backups of one network in a folder, as `NAME.ndjson.gz` or encrypted as `NAME.ndjson.gz.age`, each with its checksum in
 * `FILE.sha256`. Only the owner can read them. Each file is read again and compared before it gets its final name.
 *
 * ```ts
 * ManagementController.open({ storage, settings, backups: { store: backupFolder('backups', { recipients: ['age1…'] }) } });
 * ```
 * @throws TypeError for an invalid recipient
 */
export const backupFolder = (folder: string, { recipients = [] }: BackupFolderOptions = {}): BackupStore => {
  const encrypter = recipients.length > 0 ? encrypterFor(recipients) : undefined;
  return {
    save: async (name, parts) => {
      await makeFolder(folder);
      await deleteAbandoned(folder, name);
      const file = `${name}.ndjson.gz${encrypter ? '.age' : ''}`;
      const temporary = join(folder, name + PART);
      const digest = createHash('sha256');
      try {
        await pipeline(
          parts,
          createGzip(),
          (compressed: AsyncIterable<Uint8Array>) => (encrypter ? encrypted(encrypter, compressed) : compressed),
          (bytes: AsyncIterable<Uint8Array>) => hashed(digest, bytes),
          createWriteStream(temporary, { flags: 'wx', mode: 0o600, flush: true }),
        );
        const checksum = digest.digest('hex');
        if ((await checksumOf(temporary)) !== checksum) throw new Error(`${temporary} does not contain what was written to it`);
        // First, so that no backup is ever without its checksum.
        await writeFile(join(folder, file + CHECKSUM), `${checksum}  ${file}\n`, { mode: 0o600, flush: true });
        await rename(temporary, join(folder, file));
        await flushFolder(folder);
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
    },
    list: async () => [...new Set((await readdir(folder)).flatMap((file) => FILE.exec(file)?.[1] ?? []))],
    delete: async (name) => {
      for (const file of await readdir(folder))
        if (FILE.exec(file)?.[1] === name) {
          await rm(join(folder, file), { force: true });
          await rm(join(folder, file + CHECKSUM), { force: true });
        }
    },
  };
};

/** The SHA-256 of a file in hexadecimal digits. */
export const checksumOf = async (file: string): Promise<string> => {
  const digest = createHash('sha256');
  await pipeline(createReadStream(file), digest);
  return digest.digest('hex');
};

/**
 * The path of the latest backup in a folder; undefined if there is none. A backup of the future, taken while a clock was ahead, is
 * returned only if there is no other.
 * @param until the end of the present, ISO text. Default: tomorrow
 */
export const lastBackupIn = async (
  folder: string,
  until: string = new Date(Date.now() + 86_400_000).toISOString(),
): Promise<string | undefined> => {
  const files = (await readdir(folder))
    .filter((file) => FILE.test(file))
    .sort()
    .reverse();
  const end = snapshotTime(until);
  const latest = files.find((file) => file.slice(0, end.length) <= end) ?? files[0];
  return latest && join(folder, latest);
};

/** Deletes what processes that were killed have left, once it is a day older than a new backup. */
const deleteAbandoned = async (folder: string, name: string): Promise<void> => {
  const day = (file: string) => Date.parse(file.replace(ABANDONED, '$1-$2-$3'));
  for (const file of await readdir(folder))
    if (ABANDONED.test(file) && day(name + PART) - day(file) > 86_400_000) await rm(join(folder, file), { force: true });
};

const encrypterFor = (recipients: readonly string[]): Encrypter => {
  const encrypter = new Encrypter();
  for (const recipient of recipients)
    try {
      encrypter.addRecipient(recipient);
    } catch {
      throw new TypeError(`a recipient of backups must be a public key of age, such as age1…, got '${recipient}'`);
    }
  return encrypter;
};

async function* encrypted(encrypter: Encrypter, compressed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  // The streams of Node and of the standard library of TypeScript are the same, with different types.
  yield* (await encrypter.encrypt(ReadableStream.from(compressed) as globalThis.ReadableStream<Uint8Array>)) as AsyncIterable<Uint8Array>;
}

async function* hashed(digest: ReturnType<typeof createHash>, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const part of bytes) {
    digest.update(part);
    yield part;
  }
}
