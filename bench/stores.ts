import { postgresStorage, sqliteStorage } from '../adapters/storage/kysely/index.ts';
import { memoryStorage } from '../adapters/storage/memory/index.ts';
import type { StorageAdapter } from '../src/adapter-kit.ts';

/** `memory`, `sqlite:FILE`, or `postgres://...#NAMESPACE`. */
export const storageOf = (kind: string): StorageAdapter => {
  if (kind === 'memory') return memoryStorage();
  if (kind.startsWith('sqlite:')) return sqliteStorage({ file: kind.slice('sqlite:'.length) });
  const [connectionString = '', namespace = 'bench'] = kind.split('#');
  return postgresStorage({ connectionString, namespace, migrate: true });
};
