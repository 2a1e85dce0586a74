import { statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type KyselyStorage, postgresStorage, type StoreOptions, sqliteStorage } from '../adapters/storage/kysely/index.ts';
import { memoryStorage } from '../adapters/storage/memory/index.ts';
import type { StorageAdapter } from '../src/index.ts';
import { codeOf, describeFileError, StartFailure } from './failure.ts';
import { makePrivateFolder } from './files.ts';
import { type KeptStorage, type StorageChoice, withoutSecrets } from './storage-option.ts';

export interface ChosenStorage<Adapter extends StorageAdapter = StorageAdapter> {
  readonly adapter: Adapter;
  /** The store, in the form of the option `--storage`. */
  readonly name: string;
}

/** @throws StartFailure if the database cannot be written, or its driver is not installed */
export const prepareStorage = async (storage: StorageChoice): Promise<ChosenStorage> =>
  storage.is === 'memory' ? { adapter: memoryStorage(), name: 'memory: all data is lost when the server ends' } : prepareKept(storage);

/** Options for opening a database. */
export type OpenMode = Pick<StoreOptions, 'migrate' | 'readOnly'>;

/** @throws StartFailure if the database cannot be written (or, when opened read-only, does not exist), or its driver is not installed */
export const prepareKept = async (storage: KeptStorage, mode: OpenMode = {}): Promise<ChosenStorage<KyselyStorage>> => {
  if (storage.is === 'postgres') {
    await assertPgInstalled();
    return { adapter: postgresStorage({ connectionString: storage.url, ...mode }), name: withoutSecrets(storage.url) };
  }
  if (mode.readOnly) assertExists(storage.file);
  else {
    await makePrivateFolder(dirname(storage.file));
    await assertWritable(storage.file);
  }
  return { adapter: sqliteStorage({ file: storage.file, ...mode }), name: `sqlite:${storage.file}` };
};

/** Refuses to create the database, which only commands that create a network may do. */
const assertExists = (file: string): void => {
  if (isMissing(file)) throw new StartFailure(`the database ${file} does not exist`);
};

const isMissing = (file: string): boolean => {
  try {
    return statSync(file, { throwIfNoEntry: false }) === undefined;
  } catch (error) {
    throw new StartFailure(`cannot open the database ${file}: ${describeFileError(error)}`);
  }
};

/** The PostgreSQL driver is an optional peer dependency. */
const assertPgInstalled = async (): Promise<void> => {
  try {
    await import('pg');
  } catch (error) {
    if (codeOf(error) !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new StartFailure('--storage postgres://... needs the package pg beside overlay-controller: install it with npm install pg');
  }
};

/**
 * Creates the file, or checks that it is writable, because SQLite reports the same error for every file it cannot open, without the reason.
 */
const assertWritable = async (file: string): Promise<void> => {
  const isNew = isMissing(file);
  try {
    // Creates an empty file that only its owner can read, because it will hold password hashes; SQLite gives its auxiliary files the same
    // mode. An existing file of another owner keeps its mode.
    const handle = await open(file, 'a', 0o600);
    const { mode } = await handle.stat();
    if ((mode & 0o077) !== 0) await handle.chmod(0o600).catch(() => undefined);
    await handle.close();
  } catch (error) {
    throw new StartFailure(`cannot ${isNew ? 'create' : 'write'} the database ${file}: ${describeFileError(error)}`);
  }
};
