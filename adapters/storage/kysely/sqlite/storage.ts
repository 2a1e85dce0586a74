/** Stores the data of an embedded controller in one SQLite file, accessed through `node:sqlite`. */

import { open } from 'node:fs/promises';
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers';
import type { Kysely } from 'kysely';
import { checkedOptions, ReaderSlots } from '../../../../src/adapter-kit.ts';
import type { Connection } from '../connection.ts';
import { kysely } from '../library.ts';
import { type KyselyStorage, LOCK_TIMEOUT, STORE_OPTIONS, type StoreOptions, storageOver } from '../storage.ts';
import type { Source } from '../store.ts';
import { nodeSqliteDialect } from './dialect.ts';
import { sqlite, sqliteFunctions } from './engine.ts';
import { SqliteConnection, SqlitePool } from './pool.ts';

/** A SQLite file, and how to use it. */
export interface SqliteStorageOptions extends StoreOptions {
  /** Path of the database, which is created if missing; `':memory:'` for a database that is discarded when its last store is closed. */
  readonly file: string;
  /** True to run pending migrations in `open`. Default: true. */
  readonly migrate?: boolean;
  /**
   * `FULL` (default): committed data survives a power failure. `NORMAL`: writes are faster, but committed data survives only a crash of the
   * process.
   */
  readonly synchronous?: 'FULL' | 'NORMAL';
}

export interface SqliteStorage extends KyselyStorage {
  /**
   * A Kysely instance on the writing connection, for the host's own tables. Its transactions are serialized with those of the stores, and
   * can be passed to `Store.join` and to every call of a controller:
   *
   * ```ts
   * await storage.db.transaction().execute(async (host) => { ... });
   * ```
   */
  readonly db: Kysely<unknown>;
  /**
   * The writing connection. A host that has executed `BEGIN` on it may pass it to `Store.join`; the writers of the stores then wait for the
   * `COMMIT` or `ROLLBACK`. The host must not execute `BEGIN` while it awaits a write of a store.
   */
  readonly connection: DatabaseSync;
  /** An adapter for another namespace of the same file over the same connections. */
  within(namespace: string): KyselyStorage;
  /**
   * Copies a snapshot of the entire database (all namespaces, and the host's own tables) into a new file, while others continue to read and
   * write. Only the owner can read the file.
   * @throws Error with the code `EEXIST` if the file exists
   */
  backup(file: string): Promise<void>;
}

/** The maximum number of concurrent readers, each with its own connection. */
const MAX_READERS = 5;
/** Readers reserved for administrators and logins. */
const RESERVED = 2;
/** Page cache of a connection, in KiB. */
const CACHE_KIB = { writer: 16_384, reader: 32_768 };
/**
 * Pages of write-ahead log before a checkpoint: 16 MiB, so that a frequently written page is checkpointed only once. In measurements,
 * inserts took 10 % less time.
 */
const CHECKPOINT_PAGES = 4000;

/**
 * Creates a storage adapter for a SQLite file. Readers never wait for a writer. Writers run one at a time, even across processes. Never
 * await a transaction within another one: the inner one would wait for the outer one until `lockTimeout`.
 *
 * ```ts
 * const store = await sqliteStorage({ file: 'controller.db' }).open(storageSchema);
 * ```
 */
export const sqliteStorage = (options: SqliteStorageOptions): SqliteStorage => {
  checkedOptions('sqliteStorage', options, { ...STORE_OPTIONS, file: true, synchronous: true });
  let shared: SharedDatabase | undefined;
  const current = (): SharedDatabase => {
    if (!shared?.connection.database.isOpen) shared = new SharedDatabase(options);
    return shared;
  };
  const storageWith = (changes: Partial<StoreOptions>) =>
    storageOver(sqlite, { migrate: true, ...options, ...changes }, () => current().source());
  return {
    ...storageWith({}),
    within: (namespace) => storageWith({ namespace }),
    backup: (file) => current().backup(file),
    get db() {
      return current().db;
    },
    get connection() {
      return current().connection.database;
    },
  };
};

/** The connections to a file, from the first use until the last store is closed. */
class SharedDatabase {
  readonly connection: SqliteConnection;
  #db: Kysely<unknown> | undefined;
  readonly #writer: SqlitePool;
  readonly #reader: SqlitePool;
  readonly #slots: ReaderSlots | undefined;
  readonly #options: SqliteStorageOptions;
  #users = 0;

  constructor(options: SqliteStorageOptions) {
    this.#options = options;
    // A read-only store does not set the journal mode, which would be a write.
    this.connection = new SqliteConnection(options.readOnly ? openReader(options) : openWriter(options));
    const { lockTimeout = LOCK_TIMEOUT } = options;
    this.#writer = new SqlitePool(() => this.connection, 1, lockTimeout);
    const isPrivate = this.connection.database.location() === null;
    this.#reader = isPrivate ? this.#writer : new SqlitePool(() => new SqliteConnection(openReader(options)), MAX_READERS, lockTimeout);
    this.#slots = isPrivate ? undefined : new ReaderSlots(MAX_READERS - RESERVED);
  }

  get db(): Kysely<unknown> {
    const { lockTimeout = LOCK_TIMEOUT } = this.#options;
    this.#db ??= new (kysely().Kysely)({ dialect: nodeSqliteDialect({ pool: this.#writer, lockTimeout, close: () => this.close() }) });
    return this.#db;
  }

  source(): Source {
    this.#users++;
    return {
      writer: this.#writer,
      reader: this.#reader,
      slots: this.#slots,
      gather: () => new Promise((resolve) => setImmediate(resolve)),
      joined: (host) => this.#joined(host),
      close: async () => this.#release(),
    };
  }

  close(): void {
    this.#reader.close();
    // Closed explicitly, because the pool knows this connection only after its first use.
    if (this.connection.database.isOpen) this.connection.database.close();
  }

  async backup(file: string): Promise<void> {
    // Created here, because SQLite would make the file readable by everyone.
    await (await open(file, 'wx', 0o600)).close();
    if (this.#reader === this.#writer) return this.#writer.use(() => copyAllPages(this.connection.database, file));
    const source = openReader(this.#options);
    await copyAllPages(source, file).finally(() => source.close());
  }

  /** Bypasses the pool, because the host is already using the connection. */
  #joined(host: unknown): Connection | undefined {
    const { connection } = this;
    if (host !== connection.database || !connection.database.isTransaction) return undefined;
    return {
      host,
      async run(sql, parameters) {
        if (!connection.database.isTransaction) throw new TypeError('the transaction is over');
        return connection.runWhole(sql, parameters);
      },
    };
  }

  #release(): void {
    if (--this.#users === 0) this.close();
  }
}

/** Copies all pages in one step, on another thread: a copy in several steps would restart whenever another connection writes. */
const copyAllPages = async (source: DatabaseSync, file: string): Promise<void> => {
  await nodeSqlite().backup(source, file, { rate: 0x7fffffff });
};

/**
 * Loaded on first use, so that other stores work on runtimes without SQLite, and a Node version that is too old gets a clear error.
 */
const nodeSqlite = (): typeof import('node:sqlite') => {
  const module: typeof import('node:sqlite') | undefined = process.getBuiltinModule('node:sqlite');
  if (!module) throw new TypeError('sqliteStorage requires the module node:sqlite, which this runtime lacks');
  return module;
};

const openWriter = ({ file, synchronous = 'FULL' }: SqliteStorageOptions): DatabaseSync => {
  const database = openDatabase(file, false);
  database.exec(
    `pragma journal_mode = wal; pragma synchronous = ${synchronous === 'NORMAL' ? 'normal' : 'full'}; pragma cache_size = -${CACHE_KIB.writer}; pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}`,
  );
  return configured(database);
};

const openReader = ({ file }: SqliteStorageOptions): DatabaseSync => {
  const database = openDatabase(file, true);
  database.exec(`pragma cache_size = -${CACHE_KIB.reader}`);
  return configured(database);
};

/**
 * SQLite blocks the process while it waits for a lock. The timeout is long during opening, and then short, because `retryWhileBusy` waits
 * instead. ms
 */
const OPENING_TIMEOUT = 5000;
const BUSY_TIMEOUT = 10;

const openDatabase = (file: string, readOnly: boolean): DatabaseSync =>
  new (nodeSqlite().DatabaseSync)(file, { readOnly, enableForeignKeyConstraints: true, timeout: OPENING_TIMEOUT });

const configured = (database: DatabaseSync): DatabaseSync => {
  database.exec(`pragma busy_timeout = ${BUSY_TIMEOUT}; pragma temp_store = memory`);
  for (const [name, run] of Object.entries(sqliteFunctions)) database.function(name, { deterministic: true }, run);
  return database;
};
