/** Storage adapters over SQL databases: how a store is opened, whoever brings the connections. */
import { type Dialect, Kysely } from 'kysely';
import { checkedOptions, type StorageAdapter, type StorageSchema } from '../../../src/adapter-kit.ts';
import { inTransaction } from './begin.ts';
import { translated } from './connection.ts';
import type { Engine, EngineName } from './engine.ts';
import { type KyselyInstance, kyselyConnections } from './kysely.ts';
import { assertRequirements, assertSchema, exported, migrateDatabase, type SchemaOptions } from './migrate.ts';
import type { Migration } from './migration.ts';
import { migrations as ownMigrations } from './migrations/index.ts';
import { postgres } from './postgres/engine.ts';
import { Scope } from './scope.ts';
import { sqlite } from './sqlite/engine.ts';
import { KyselyStore, type Source } from './store.ts';
import { inTurns } from './turns.ts';

/** How a controller shares a database with others. */
export interface StoreOptions {
  /** Controllers with different namespaces share a database and nothing else. Default `'default'`. */
  readonly namespace?: string;
  /** What the names of all tables begin with. Default `'overlay_'`. */
  readonly prefix?: string;
  /** Whether `open` runs the migrations that the database lacks. */
  readonly migrate?: boolean;
  /** How long a transaction may wait for writers in other processes, in milliseconds, before it fails with `WriteConflict`. Default 5000. */
  readonly lockTimeout?: number;
  /** Other migrations than those of the controller's own kinds: for tests. */
  readonly migrations?: readonly Migration[];
}

/** The names of `StoreOptions`. */
export const STORE_OPTIONS = { namespace: true, prefix: true, migrate: true, lockTimeout: true, migrations: true } as const;

/** Which Kysely instance is used, and how; or a dialect to make one of. */
export type KyselyStorageOptions = StoreOptions & { readonly engine: EngineName } & (
    | { readonly db: KyselyInstance }
    | { readonly dialect: Dialect }
  );

export interface KyselyStorage extends StorageAdapter {
  /**
   * Runs the migrations that the database lacks, in one transaction.
   * @throws WriteConflict when another process holds the database; StorageError when a statement fails.
   */
  migrate(): Promise<void>;
}

export const ENGINES: Readonly<Record<EngineName, Engine>> = { sqlite, postgres };

/**
 * A storage adapter over a Kysely instance of the host, or over one that is made of a dialect and closed with the store.
 * A SQLite connection of another driver needs `sqliteFunctions`. `migrate` defaults to false.
 *
 * ```ts
 * const storage = kyselyStorage({ db, engine: 'sqlite', namespace: 'tenant-1' });
 * await storage.migrate();
 * ```
 */
export const kyselyStorage = (options: KyselyStorageOptions): KyselyStorage => {
  checkedOptions('kyselyStorage', options, { ...STORE_OPTIONS, engine: true, db: true, dialect: true });
  const engine = ENGINES[options.engine];
  if ('db' in options) {
    const connections = kyselyConnections(options.db);
    const writer = inTurns(connections);
    return storageOver(engine, options, () => ({ writer, reader: connections, close: async () => undefined }));
  }
  return storageOver(engine, options, () => {
    const db = new Kysely<unknown>({ dialect: options.dialect });
    const connections = kyselyConnections(db);
    return { writer: inTurns(connections), reader: connections, close: () => db.destroy() };
  });
};

/** @param connect is called once for every open store. */
export const storageOver = (engine: Engine, options: StoreOptions, connect: () => Source): KyselyStorage => {
  const {
    namespace = 'default',
    prefix = DEFAULT_PREFIX,
    migrate = false,
    lockTimeout = LOCK_TIMEOUT,
    migrations = ownMigrations,
  } = options;
  const schemaOptions: SchemaOptions = { engine, prefix, migrations };
  const connected = (): Source => {
    try {
      return connect();
    } catch (error) {
      throw translated(engine, error);
    }
  };
  const migrateOver = (source: Source) =>
    inTransaction(engine, source.writer, { mode: 'write', lockTimeout }, (connection) => migrateDatabase(schemaOptions, connection));
  return {
    async migrate() {
      const source = connected();
      await migrateOver(source).finally(() => source.close());
    },
    async open(schema: StorageSchema) {
      const source = connected();
      try {
        if (migrate) await migrateOver(source);
        await source.reader.use(async (connection) => {
          await assertRequirements(engine, connection);
          await assertSchema(schemaOptions, connection, schema);
        });
        return new KyselyStore(source, new Scope(engine, prefix, namespace, schema), lockTimeout);
      } catch (error) {
        await source.close();
        throw translated(engine, error);
      }
    },
  };
};

const DEFAULT_PREFIX = 'overlay_';
export const LOCK_TIMEOUT = 5000;

/** The SQL of all migrations, for a migration tool of the host's own. It also records that they were run. */
export const exportMigrations = (
  engine: EngineName,
  { prefix = DEFAULT_PREFIX, migrations = ownMigrations }: Pick<StoreOptions, 'prefix' | 'migrations'> = {},
): string => exported({ engine: ENGINES[engine], prefix, migrations });
