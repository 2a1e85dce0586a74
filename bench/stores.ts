import { postgresStorage, sqliteStorage } from '../adapters/storage/kysely/index.ts';
import { memoryStorage } from '../adapters/storage/memory/index.ts';
import type { StorageAdapter } from '../src/adapter-kit.ts';

/** `memory`, `sqlite:FILE`, or `postgres://...#NAMESPACE`. While it is filled, SQLite need not wait for the disk. */
export const storageOf = (kind: string, isFilling = false): StorageAdapter => {
  if (kind === 'memory') return memoryStorage();
  if (kind.startsWith('sqlite:')) return sqliteStorage({ file: kind.slice('sqlite:'.length), synchronous: isFilling ? 'NORMAL' : 'FULL' });
  const [connectionString = '', namespace = 'bench'] = kind.split('#');
  return postgresStorage({ connectionString, namespace, migrate: true });
};
