import { sqliteStorage } from '../adapters/storage/kysely/index.ts';
import { memoryStorage } from '../adapters/storage/memory/index.ts';
import type { StorageAdapter } from '../src/adapter-kit.ts';

/** `memory`, or `sqlite:FILE`. */
export const storageOf = (kind: string): StorageAdapter =>
  kind === 'memory' ? memoryStorage() : sqliteStorage({ file: kind.slice('sqlite:'.length) });
