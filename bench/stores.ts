import { join } from 'node:path';
import { postgresStorage, sqliteStorage } from '../adapters/storage/kysely/index.ts';
import { memoryStorage } from '../adapters/storage/memory/index.ts';
import type { StorageAdapter } from '../src/adapter-kit.ts';
import type { Size } from './data.ts';

/** The secret key of all runs, because a store is filled by one process and measured by another. */
export const SECRET_KEY = Buffer.alloc(32, 'bench').toString('base64');

/** Parses a size: the numbers of identities, services and policies, e.g. `10000x1000x200`. */
export const sizeOf = (text: string): Size => {
  const [identities = 0, services = 0, policies = 0] = text.split('x').map(Number);
  return { identities, services, policies };
};

/** The location of a store's data, which is separate for each size. @param folder the folder for SQLite databases */
export const placeOf = (store: string, size: string, folder: string): string => {
  if (store === 'sqlite') return `sqlite:${join(folder, `${size}.db`)}`;
  if (store !== 'postgres') return store;
  if (!process.env.POSTGRES_URL) throw new Error('POSTGRES_URL is not set: run the benchmark with npm run postgres');
  return `${process.env.POSTGRES_URL}#${size}`;
};

/** Opens the storage `memory`, `sqlite:FILE` or `postgres://...#NAMESPACE`. With `isFilling`, SQLite does not wait for the disk. */
export const storageOf = (kind: string, isFilling = false): StorageAdapter => {
  if (kind === 'memory') return memoryStorage();
  if (kind.startsWith('sqlite:')) return sqliteStorage({ file: kind.slice('sqlite:'.length), synchronous: isFilling ? 'NORMAL' : 'FULL' });
  const [connectionString = '', namespace = 'bench'] = kind.split('#');
  return postgresStorage({ connectionString, namespace, migrate: true });
};
