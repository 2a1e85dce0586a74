/** Storage adapters for SQL databases, with connections from any source. */
import type { Dialect } from 'kysely';
import { checkedOptions, type StorageAdapter, type StorageSchema, StoreBusy } from '../../../src/adapter-kit.ts';
import { type Connection, limitWait, run, serialized, translated } from './connection.ts';
import type { SqlEngine } from './engine/index.ts';
import { type HostTransactions, librariesOf } from './host-transactions.ts';
import { inTransaction } from './in-transaction.ts';
import { type KyselyInstance, kyselyConnections, kyselyTransactions } from './kysely.ts';
import { kysely } from './library.ts';
import { exportedSql, fulfillingStatements, isMigrated, migrateDatabase } from './migrate.ts';
import type { Migration } from './migration.ts';
import { migrations as ownMigrations } from './migrations/index.ts';
import { type MigrationPlan, planFor } from './plan.ts';
import { hasStatistics, restoreStatistics } from './planner-statistics.ts';
import { recordedIn, type SchemaOptions } from './recorded.ts';
import { assertRequirements } from './requirements.ts';
import { Scope } from './scope.ts';
import { KyselyStore, type Source, type Timeouts } from './store.ts';
import { assertReadable, assertSchema, tablesAt, Versions } from './versions.ts';

/** Options for sharing a database with other controllers. */
export interface StoreOptions {
  /** Controllers with different namespaces share only the database. Default: `'default'`. */
  readonly namespace?: string;
  /** Prefix of the names of all tables. Default: `'overlay_'`. */
  readonly prefix?: string;
  /** True to run pending migrations in `open`. */
  readonly migrate?: boolean;
  /**
   * True to open the store for reading only: nothing is written or migrated, and the database may belong to an older or newer release.
   * Default: false.
   */
  readonly readOnly?: boolean;
  /**
   * Time for which a transaction may wait for a connection or for other writers, in milliseconds, before it fails with `StoreBusy`. Default
   * 5000.
   */
  readonly lockTimeout?: number;
  /**
   * PostgreSQL: how long a statement may take, in milliseconds, before the server cancels it and the call fails with `StoreUnavailable`.
   * Should be close to the controller's `requestTimeoutMs`. Default 10,000.
   */
  readonly statementTimeout?: number;
  /**
   * PostgreSQL: how long a writer may pause between two statements, in milliseconds, before the server ends its connection. This is the
   * longest time that other writers wait for a process that is frozen or lost. Default 8000.
   */
  readonly pauseTimeout?: number;
  /**
   * Time for which `open` and `migrate` wait for another process that is migrating, in milliseconds, before they fail with `StoreBusy`.
   * Should be at least as long as the longest migration takes. Default 300,000.
   */
  readonly migrationTimeout?: number;
  /**
   * Libraries, in addition to Kysely, whose transactions the host passes to `Store.join` and to calls of a controller:
   * `drizzleTransactions`, `prismaTransactions`, or your own pair of functions. Default: none.
   */
  readonly hostTransactions?: HostTransactions | readonly HostTransactions[];
  /** For tests: migrations to use instead of the controller's own. */
  readonly migrations?: readonly Migration[];
}

/** The names of `StoreOptions`, for checking options. */
export const STORE_OPTIONS = {
  namespace: true,
  prefix: true,
  migrate: true,
  readOnly: true,
  lockTimeout: true,
  statementTimeout: true,
  pauseTimeout: true,
  migrationTimeout: true,
  hostTransactions: true,
  migrations: true,
} as const;

/** A Kysely instance, or a dialect to create one from, and how to use it. */
export type KyselyStorageOptions = StoreOptions & {
  /** The SQL engine of the database: `sqlite`, `postgres`, or your own. */
  readonly engine: SqlEngine;
} & ({ readonly db: KyselyInstance } | { readonly dialect: Dialect });

export interface KyselyStorage extends StorageAdapter {
  /**
   * Runs pending migrations in one transaction. Waits while another process is migrating.
   * @throws StoreBusy if another process locks the database for longer than `migrationTimeout`; StoreUnavailable; StorageError if a
   * statement fails
   */
  migrate(): Promise<void>;
  /**
   * The migrations that have run and those that `migrate` would run. Changes nothing, and works on a database of any release.
   * @throws StoreUnavailable; StorageError if a statement fails.
   */
  plan(): Promise<MigrationPlan>;
}

/**
 * Creates a storage adapter on the host's Kysely instance, or on one that is created from a dialect and closed with the store.
 * A SQLite connection of another driver requires `sqliteFunctions`. `migrate` defaults to false.
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
    throw new TypeError(`option engine of kyselyStorage must be an engine, such as the exported sqlite or postgres, got ${String(engine)}`);
  if ('db' in options) {
    const { lockTimeout = LOCK_TIMEOUT } = options;
    const connections = kyselyConnections(engine, options.db);
    const writer = limitWait(lockTimeout, serialized(connections));
    const reader = limitWait(lockTimeout, connections);
    return storageOver(engine, options, () => ({ writer, reader, close: async () => undefined }));
  }
  return storageOver(engine, options, () => {
    const { Kysely } = kysely();
    const db = new Kysely<unknown>({ dialect: options.dialect });
    const connections = kyselyConnections(engine, db);
    return { writer: serialized(connections), reader: connections, close: () => db.destroy() };
  });
};

/** @param connect called once per store that is opened */
export const storageOver = (engine: SqlEngine, options: StoreOptions, connect: () => Source): KyselyStorage => {
  const {
    namespace = 'default',
    prefix = DEFAULT_PREFIX,
    migrate = false,
    readOnly = false,
    lockTimeout = LOCK_TIMEOUT,
    statementTimeout = 10_000,
    pauseTimeout = 8000,
    migrationTimeout = 300_000,
    hostTransactions,
    migrations = ownMigrations,
  } = options;
  const libraries = [kyselyTransactions, ...librariesOf(hostTransactions)];
  const timeouts: Timeouts = { lockTimeout, statementTimeout, pauseTimeout };
  /** Has no `statementTimeout`, because a migration has no time limit. */
  const migrating = { limits: { lockTimeout: migrationTimeout } };
  const schemaOptions: SchemaOptions = { engine, prefix, migrations };
  const connectTranslated = (): Source => {
    try {
      return connect();
    } catch (error) {
      throw translated(engine, error);
    }
  };
  /**
   * Restores lost planner statistics before readers open connections, which load them. If another writer holds the lock, that is left to
   * the next `open`.
   */
  const ensureStatistics = async (source: Source, tables: StorageSchema) => {
    if (await source.writer.use((connection) => hasStatistics(engine, connection, prefix, tables))) return;
    const begin = { mode: 'write', limits: { lockTimeout } } as const;
    await inTransaction(engine, source.writer, begin, (connection) => restoreStatistics(engine, connection, prefix, tables)).catch(
      (error: unknown) => {
        if (!(error instanceof StoreBusy)) throw error;
      },
    );
  };
  const reading = <T>(source: Source, work: (connection: Connection) => Promise<T>): Promise<T> =>
    inTransaction(engine, source.reader, { ...migrating, mode: 'read' }, work);
  const migrateOver = async (source: Source) => {
    if (await reading(source, (connection) => isMigrated(schemaOptions, connection))) return;
    await inTransaction(engine, source.writer, { ...migrating, mode: 'write' }, (connection) =>
      migrateDatabase(schemaOptions, connection, migrating.limits),
    );
  };
  const withSource = async <T>(work: (source: Source) => Promise<T>): Promise<T> => {
    const source = connectTranslated();
    return work(source).finally(() => source.close());
  };
  return {
    migrate: async () => {
      if (readOnly) throw new TypeError('a read-only store (readOnly) cannot be migrated');
      await withSource(migrateOver);
    },
    plan: () => withSource((source) => reading(source, (connection) => planFor(schemaOptions, connection))),
    async open(schema: StorageSchema) {
      const source = connectTranslated();
      try {
        if (migrate && !readOnly) await migrateOver(source);
        const { found, tables } = await reading(source, async (connection) => {
          if (!readOnly) await assertRequirements(engine, connection);
          const found = await recordedIn(schemaOptions, connection);
          if (readOnly) assertReadable(found);
          else assertSchema(migrations, found, schema);
          return { found, tables: await tablesAt(schemaOptions, found.version, (statement) => run(engine, connection, statement)) };
        });
        if (!readOnly) await ensureStatistics(source, tables);
        const versions = new Versions(schemaOptions, (tables) => new Scope(engine, prefix, namespace, tables), found, tables);
        const kinds = readOnly ? new Set(tables.map(({ kind }) => kind)) : undefined;
        return new KyselyStore(source, versions, timeouts, { libraries, kinds });
      } catch (error) {
        await source.close();
        throw translated(engine, error);
      }
    },
  };
};

const DEFAULT_PREFIX = 'overlay_';
export const LOCK_TIMEOUT = 5000;

/** Options of `exportMigrations`. */
export interface ExportOptions extends Pick<StoreOptions, 'prefix' | 'migrations'> {
  /**
   * The current schema version of the database, as returned by `storage.plan()`: only later migrations are exported. Default: 0, for all
   * migrations.
   */
  readonly from?: number;
}

/**
 * Exports the SQL of migrations, for the host's migration tool. The SQL also records the migrations. Run it in one transaction if the
 * database supports transactional DDL: with `from`, it first locks out the writers of running controllers.
 *
 * ```ts
 * const { version } = await storage.plan();
 * console.log(exportMigrations(postgres, { from: version }));
 * ```
 * @throws RangeError if `from` is not a version of this release
 */
export const exportMigrations = (
  engine: SqlEngine,
  { prefix = DEFAULT_PREFIX, migrations = ownMigrations, from = 0 }: ExportOptions = {},
): string => {
  if (!Number.isInteger(from) || from < 0 || from > migrations.length)
    throw new RangeError(`from must be a schema version of this release, 0 to ${migrations.length}, got ${from}`);
  if (from === migrations.length) return '';
  return exportedSql({ engine, prefix, migrations }, from, fulfillingStatements(engine.requirements));
};
