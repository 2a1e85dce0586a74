import { join } from 'node:path';
import { hasSecretKey, newSecretKey, type StorageAdapter } from '../src/index.ts';
import type { OptionDeclaration, OptionValues } from './arguments.ts';
import { StartFailure } from './failure.ts';
import { makePrivateFolder, readIfExists, writeOnce } from './files.ts';
import type { Environment } from './sources.ts';
import { dataFolderOf, type StorageChoice } from './storage-option.ts';

/** The secret key of the network, as given on the command line or in the environment. */
export interface SecretKeyOptions {
  /** One key, or several separated by commas, instead of the one that the server creates and keeps. */
  readonly secretKey?: string;
  /** A file with one or more keys. */
  readonly secretKeyFile?: string;
}

export const secretKeyFile: OptionDeclaration & { readonly value: string } = {
  value: 'FILE',
  about:
    'file with the key that encrypts secrets in the database: 32 random bytes in base64 (default: the variable SECRET_KEY; without either, a key that is created once and kept in the data folder). All servers on one database need the same key or, while it is being replaced, both keys, separated by a line break or a comma',
};

/** The file takes precedence over the environment. */
export const secretKeyIn = (values: OptionValues<'secret-key-file'>, environment: Environment): SecretKeyOptions => {
  const file = values.get('secret-key-file');
  if (file !== undefined) return { secretKeyFile: file };
  return environment.SECRET_KEY ? { secretKey: environment.SECRET_KEY } : {};
};

/** The key under which secrets in the database are sealed. */
export interface SecretKey {
  /** Several keys while the key is being replaced. Undefined if none is given for an in-memory store. */
  readonly key: readonly string[] | undefined;
  /** The file of the key, if it is in the data folder. */
  readonly file?: string;
}

/**
 * Returns the given secret key, or the one in the folder, which is created for a new network. It must not be lost, and should not be stored
 * with backups of the database.
 * @throws StartFailure if a file cannot be read or written, or if the network has a secret key that was not given
 */
export const ensureSecretKey = async (
  { storage, ...options }: SecretKeyOptions & { readonly storage: StorageChoice },
  adapter: StorageAdapter,
  folder: string,
): Promise<SecretKey> => {
  const given = await givenKeys(options);
  if (given !== undefined) return { key: given };
  if (storage.is === 'memory') return { key: undefined };
  const file = join(folder, 'secret.key');
  // Another server that is starting may have created the key and the network in the meantime, so the file is checked again.
  const known = (await keyIfExists(file)) ?? ((await hasSecretKey(adapter)) ? await keyIfExists(file) : await newKey(folder, file));
  if (known === undefined)
    throw new StartFailure(
      `the network in this database was created with a secret key, but ${file} does not exist: restore that file, or give the key as SECRET_KEY or with --secret-key-file`,
    );
  return { key: keysOf(known), file };
};

/**
 * The secret key of the network that a command works on, by the options of the command.
 * @throws StartFailure as `ensureSecretKey`
 */
export const secretKeyOfNetwork = (
  given: OptionValues<'data-folder' | 'secret-key-file'>,
  environment: Environment,
  storage: StorageChoice,
  adapter: StorageAdapter,
): Promise<SecretKey> =>
  ensureSecretKey({ ...secretKeyIn(given, environment), storage }, adapter, dataFolderOf(storage, given.get('data-folder')));

/**
 * The keys given on the command line or in the environment.
 * @throws StartFailure if the file does not exist
 */
export const givenKeys = async ({ secretKey, secretKeyFile }: SecretKeyOptions): Promise<readonly string[] | undefined> => {
  if (secretKey !== undefined) return keysOf(secretKey);
  return secretKeyFile === undefined ? undefined : keysOf(await keyIn(secretKeyFile));
};

/** Keys are separated by line breaks or commas. */
const keysOf = (text: string): readonly string[] => text.split(/[\s,]+/).filter((key) => key !== '');

const newKey = async (folder: string, file: string): Promise<string> => {
  await makePrivateFolder(folder);
  return (await writeOnce(file, `${newSecretKey()}\n`, 0o600)).trim();
};

export const keyIn = async (file: string): Promise<string> => {
  const key = await keyIfExists(file);
  if (key === undefined) throw new StartFailure(`cannot read ${file}: there is no such file or folder`);
  return key;
};

/** Rejects an empty file as damaged: a new key in its place could not decrypt secrets that are sealed under the lost one. */
const keyIfExists = async (file: string): Promise<string | undefined> => {
  const key = (await readIfExists(file))?.trim();
  if (key === '') throw new StartFailure(`${file} is empty: restore the secret key, or remove the file if there is no network yet`);
  return key;
};
