import { sqliteStorage } from '../../adapters/storage/kysely/index.ts';
import { memoryStorage } from '../../adapters/storage/memory/index.ts';
import type { StorageAdapter } from '../../src/storage/port.ts';

const adapters: Readonly<Record<string, () => StorageAdapter>> = {
  memory: () => memoryStorage(),
  sqlite: () => sqliteStorage({ file: ':memory:' }),
};

/** The stores that a suite runs on: all of them, or those that `STORES=memory,sqlite` names. */
export const stores: readonly string[] = process.env.STORES?.split(',') ?? Object.keys(adapters);

export const newStorage = (name: string): StorageAdapter => {
  const make = adapters[name];
  if (!make) throw new TypeError(`no store '${name}': there are ${Object.keys(adapters).join(', ')}`);
  return make();
};

/** A store in a database that the host has, too. */
export interface HostedStorage {
  readonly storage: StorageAdapter;
  /** Runs `work` in a transaction of the host's own: committed when it resolves, rolled back when it rejects. */
  transaction(work: (host: unknown) => Promise<void>): Promise<void>;
}

const hosted: Readonly<Record<string, () => HostedStorage>> = {
  memory: () => {
    const storage = memoryStorage();
    return {
      storage,
      transaction: async (work) => {
        const host = await storage.database.begin();
        try {
          await work(host);
        } catch (error) {
          host.rollback();
          throw error;
        }
        host.commit();
      },
    };
  },
  sqlite: () => {
    const storage = sqliteStorage({ file: ':memory:' });
    return { storage, transaction: (work) => storage.db.transaction().execute(work) };
  },
};

export const newHostedStorage = (name: string): HostedStorage => {
  const make = hosted[name];
  if (!make) throw new TypeError(`no store '${name}' with transactions of a host: there are ${Object.keys(hosted).join(', ')}`);
  return make();
};
