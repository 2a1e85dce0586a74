/** Storage adapters for SQL databases: opens stores on connections of any origin. */
import { type Dialect, Kysely } from 'kysely';
import { checkedOptions, type StorageAdapter, type StorageSchema, StoreBusy } from '../../../src/adapter-kit.ts';
import { inTransaction } from './begin.ts';
import { translated } from './connection.ts';
import type { SqlEngine } from './engine/index.ts';
import { type KyselyInstance, kyselyConnections } from './kysely.ts';
import { assertRequirements, assertSchema, exported, fenceOf, isMigrated, migrateDatabase, type SchemaOptions } from './migrate.ts';
import type { Migration } from './migration.ts';
import { migrations as ownMigrations } from './migrations/index.ts';
import { hasStatistics, restoreStatistics } from './planner-statistics.ts';
import { Scope } from './scope.ts';
import { KyselyStore, type Source, type Timeouts } from './store.ts';
import { inTurns } from './turns.ts';

/** How a controller shares a database with others. */
export interface StoreOptions {
  /** Controllers with different namespaces share a database and nothing else. Default `'default'`. */
  readonly namespace?: string;
  /** Prefix of the names of all tables. Default `'overlay_'`. */
  readonly prefix?: string;
  /** Whether `open` runs the migrations that the database lacks. */
  readonly migrate?: boolean;
  /** How long a transaction may wait for writers in other processes, in milliseconds, before it fails with `StoreBusy`. Default 5000. */
  readonly lockTimeout?: number;
  /**
   * PostgreSQL: how long a statement may take, in milliseconds, before the server cancels it and the call fails with `StoreUnavailable`. Best near the
   * controller's `requestTimeoutMs`. Default 10,000.
   */
  readonly statementTimeout?: number;
  /**
   * PostgreSQL: how long a writer may pause between two statements, in milliseconds, before the server ends its connection. This is the longest time that
   * other writers wait for a process that is frozen or lost. Default 8000.
   */
  readonly pauseTimeout?: number;
  /**
   * How long `open` and `migrate` wait for another process that migrates, in milliseconds, before they fail with `StoreBusy`: at least as long as
   * the longest migration takes. Default 300,000.
   */
  readonly migrationTimeout?: number;
  /** For tests: migrations to use instead of the controller's own. */
  readonly migrations?: readonly Migration[];
}

/** The names of `StoreOptions`, for checking options. */
export const STORE_OPTIONS = {
  namespace: true,
  prefix: true,
  migrate: true,
  lockTimeout: true,
  statementTimeout: true,
  pauseTimeout: true,
  migrationTimeout: true,
  migrations: true,
} as const;

/** A Kysely instance, or a dialect to create one from, and how to use it. */
export type KyselyStorageOptions = StoreOptions & {
  /** The SQL engine of the database: `sqlite`, `postgres`, or your own. */
  readonly engine: SqlEngine;
} & ({ readonly db: KyselyInstance } | { readonly dialect: Dialect });

export interface KyselyStorage extends StorageAdapter {
  /**
   * Runs the migrations that the database lacks, in one transaction. Waits for another process that migrates.
   * @throws StoreBusy if another process locks the database for longer than `migrationTimeout`; StoreUnavailable; StorageError if a statement fails
   */
  migrate(): Promise<void>;
}

/**
 * A storage adapter over a Kysely instance of the host, or over one that is created from a dialect and closed with the store.
 * A SQLite connection of another driver needs `sqliteFunctions`. `migrate` defaults to false.
 *
 * ```ts
 * const storage = kyselyStorage({ db, engine: sqlite, namespace: 'tenant-1' });
 * await storage.migrate();
 * ```
 */
export const kyselyStorage = (options: KyselyStorageOptions): KyselyStorage => {
  checkedOptions('kyselyStorage', options, { ...STORE_OPTIONS, engine: true, db: true, dialect: true });
  const { engine } = options;
  if (typeof engine?.begin !== 'function')
    throw new TypeError(`kyselyStorage takes an engine as a value, such as the exported sqlite or postgres, got ${String(engine)}`);
  if ('db' in options) {
    const connections = kyselyConnections(engine, options.db);
    const writer = inTurns(connections);
    return storageOver(engine, options, () => ({ writer, reader: connections, close: async () => undefined }));
  }
  return storageOver(engine, options, () => {
    const db = new Kysely<unknown>({ dialect: options.dialect });
    const connections = kyselyConnections(engine, db);
    return { writer: inTurns(connections), reader: connections, close: () => db.destroy() };
  });
};

/** @param connect called once for every store that is opened */
export const storageOver = (engine: SqlEngine, options: StoreOptions, connect: () => Source): KyselyStorage => {
  const {
    namespace = 'default',
    prefix = DEFAULT_PREFIX,
    migrate = false,
    lockTimeout = LOCK_TIMEOUT,
    statementTimeout = 10_000,
    pauseTimeout = 8000,
    migrationTimeout = 300_000,
    migrations = ownMigrations,
  } = options;
  const timeouts: Timeouts = { lockTimeout, statementTimeout, pauseTimeout };
  /** Without a `statementTimeout`: a migration has no time limit. */
  const migrating = { limits: { lockTimeout: migrationTimeout } };
  const schemaOptions: SchemaOptions = { engine, prefix, migrations };
  const connected = (): Source => {
    try {
      return connect();
    } catch (error) {
      throw translated(engine, error);
    }
  };
  /** Restores lost planner statistics before readers open connections, which load them. If another writer holds the lock, the next `open` restores them. */
  const ensureStatistics = async (source: Source, schema: StorageSchema) => {
    if (await source.writer.use((connection) => hasStatistics(engine, connection, prefix, schema))) return;
    const begin = { mode: 'write', limits: { lockTimeout } } as const;
    await inTransaction(engine, source.writer, begin, (connection) => restoreStatistics(engine, connection, prefix, schema)).catch(
      (error: unknown) => {
        if (!(error instanceof StoreBusy)) throw error;
      },
    );
  };
  const migrateOver = async (source: Source) => {
    const isOver = await inTransaction(engine, source.reader, { ...migrating, mode: 'read' }, (connection) =>
      isMigrated(schemaOptions, connection),
    );
    if (isOver) return;
    await inTransaction(engine, source.writer, { ...migrating, mode: 'write' }, (connection) =>
      migrateDatabase(schemaOptions, connection, migrating.limits),
    );
  };
  return {
    async migrate() {
      const source = connected();
      await migrateOver(source).finally(() => source.close());
    },
    async open(schema: StorageSchema) {
      const source = connected();
      try {
        if (migrate) await migrateOver(source);
        await inTransaction(engine, source.reader, { ...migrating, mode: 'read' }, async (connection) => {
          await assertRequirements(engine, connection);
          await assertSchema(schemaOptions, connection, schema);
        });
        await ensureStatistics(source, schema);
        return new KyselyStore(source, new Scope(engine, prefix, namespace, schema), timeouts, fenceOf(schemaOptions));
      } catch (error) {
        await source.close();
        throw translated(engine, error);
      }
    },
  };
};

const DEFAULT_PREFIX = 'overlay_';
export const LOCK_TIMEOUT = 5000;

/** The SQL of all migrations, for the host's own migration tool. It also records that they have run. */
export const exportMigrations = (
  engine: SqlEngine,
  { prefix = DEFAULT_PREFIX, migrations = ownMigrations }: Pick<StoreOptions, 'prefix' | 'migrations'> = {},
): string => exported({ engine, prefix, migrations });
