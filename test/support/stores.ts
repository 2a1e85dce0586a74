import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type PostgresStorage, postgresStorage, type SqliteStorage, sqliteStorage } from '../../adapters/storage/kysely/index.ts';
import { memoryDatabase, memoryStorage } from '../../adapters/storage/memory/index.ts';
import type { StorageAdapter } from '../../src/store/storage/port.ts';
import { storageSchema } from '../../src/store/storage/schema.ts';

/** Time for which writers wait for one another in tests that are not about it. ms */
export const ON_A_BUSY_MACHINE = 60_000;

/**
 * The controllers of one process share a pool, and have a namespace each. The pool is the tests' own, so that it outlives the last
 * controller: the first statements of a new connection cost the server more than those of most tests.
 */
let shared: PostgresStorage | undefined;
const postgres = (): PostgresStorage => {
  const connectionString = process.env.POSTGRES_URL;
  if (!connectionString) throw new TypeError('POSTGRES_URL is not set: run the tests through scripts/postgres.ts');
  return (shared ??= postgresStorage({ pool: new pg.Pool({ connectionString, allowExitOnIdle: true }), lockTimeout: ON_A_BUSY_MACHINE }));
};

/** An empty SQLite database with all tables, as bytes: made once in a process, for the migrations cost more than what most tests do. */
const migrated = (() => {
  const make = async (): Promise<Uint8Array> => {
    const storage = sqliteStorage({ file: ':memory:' });
    const store = await storage.open(storageSchema);
    const image = storage.connection.serialize();
    await store.close();
    return image;
  };
  let made: Promise<Uint8Array> | undefined;
  return () => (made ??= make());
})();

/** A SQLite database in memory. */
const sqlite = (): SqliteStorage => {
  const storage = sqliteStorage({ file: ':memory:' });
  const { open } = storage;
  const openMigrated: typeof open = async (schema) => {
    const image = await migrated();
    const isNew = storage.connection.prepare('select 1 from sqlite_schema').get() === undefined;
    if (isNew) storage.connection.deserialize(image);
    return open(schema);
  };
  return Object.defineProperty(storage, 'open', { value: openMigrated });
};

const adapters: Readonly<Record<string, () => StorageAdapter>> = {
  memory: () => memoryStorage(),
  sqlite,
  postgres: () => postgres().within(randomUUID()),
};

/** PostgreSQL needs a server, and is asked for by name. */
const DEFAULT = ['memory', 'sqlite'];

/** The stores that a suite runs on: those without a server, or those that `STORES=memory,sqlite,postgres` names. */
export const stores: readonly string[] = process.env.STORES?.split(',') ?? DEFAULT;

/**
 * For tests of bounds that hold before a store is asked, or that take thousands of writes: a database across a socket has nothing to add.
 */
export const notOnPostgres = (store: string) => ({ skip: store === 'postgres' ? 'the bound is the same on every store' : false });

/** Runs of a property: fewer where each is a conversation with a server. */
export const numRuns = (store: string, runs: number) => ({ numRuns: store === 'postgres' ? Math.ceil(runs / 3) : runs });

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
    const storage = sqlite();
    return { storage, transaction: (work) => storage.db.transaction().execute(work) };
  },
  postgres: () => ({
    storage: postgres().within(randomUUID()),
    transaction: (work) => postgres().db.transaction().execute(work),
  }),
};

export const newHostedStorage = (name: string): HostedStorage => {
  const make = hosted[name];
  if (!make) throw new TypeError(`no store '${name}' with transactions of a host: there are ${Object.keys(hosted).join(', ')}`);
  return make();
};

/** A store that several controllers can be open on at once, each with connections of its own. */
export interface SharedStorage extends AsyncDisposable {
  /** As another process would reach it. */
  adapter(): StorageAdapter;
}

const shareable: Readonly<Record<string, () => SharedStorage>> = {
  memory: () => {
    const database = memoryDatabase();
    return { adapter: () => memoryStorage({ database }), async [Symbol.asyncDispose]() {} };
  },
  sqlite: () => {
    const folder = mkdtempSync(join(tmpdir(), 'overlay-'));
    return {
      adapter: () => sqliteStorage({ file: join(folder, 'controller.db'), synchronous: 'NORMAL', lockTimeout: ON_A_BUSY_MACHINE }),
      [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
    };
  },
  postgres: () => {
    const namespace = randomUUID();
    return { adapter: () => postgres().within(namespace), async [Symbol.asyncDispose]() {} };
  },
};

export const newSharedStorage = (name: string): SharedStorage => {
  const make = shareable[name];
  if (!make) throw new TypeError(`no store '${name}' to share: there are ${Object.keys(shareable).join(', ')}`);
  return make();
};
