/** The store of an embedded controller: one SQLite file, through Node's own SQLite. */
import { open } from 'node:fs/promises';
import { backup, DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { checkedOptions, createSemaphore, type Semaphore } from '../../../../src/adapter-kit.ts';
import type { Connection } from '../connection.ts';
import { type KyselyStorage, LOCK_TIMEOUT, STORE_OPTIONS, type StoreOptions, storageOver } from '../storage.ts';
import type { Source } from '../store.ts';
import { nodeSqliteDialect } from './dialect.ts';
import { sqlite } from './engine.ts';
import { sqliteFunctions } from './functions.ts';
import { SqliteConnection, SqlitePool } from './pool.ts';

/** Which SQLite file is used, and how. */
export interface SqliteStorageOptions extends StoreOptions {
  /** Path of the database, made if missing; `':memory:'` for one that goes when its last store is closed. */
  readonly file: string;
  /** Whether `open` runs the migrations that the database lacks. Default true. */
  readonly migrate?: boolean;
  /** `FULL`: what was acknowledged survives a power failure (default). `NORMAL`: it survives the end of the process; writes are faster. */
  readonly synchronous?: 'FULL' | 'NORMAL';
}

export interface SqliteStorage extends KyselyStorage {
  /**
   * The writing connection as a Kysely instance, for tables of the host's own. Its transactions take turns with those of the
   * stores, and can be handed to `Store.join` and to every call of a controller:
   *
   * ```ts
   * await storage.db.transaction().execute(async (host) => { ... });
   * ```
   */
  readonly db: Kysely<unknown>;
  /**
   * The writing connection itself. A host that executes `BEGIN` on it may hand it to `Store.join`; the stores' own writers wait
   * until it executes `COMMIT` or `ROLLBACK`. It must not do so while it waits for a write of a store.
   */
  readonly connection: DatabaseSync;
  /** An adapter for another namespace of the same file over the same connections. */
  within(namespace: string): KyselyStorage;
  /**
   * Copies the whole database (every namespace, and the host's own tables) into a new file, as it is at one moment, while others go on
   * reading and writing. The copy is for its owner's eyes only, and is a database like this one.
   * @throws when there is such a file
   */
  backup(file: string): Promise<void>;
}

/** How many transactions may read a file at once; more wait. Each has a connection of its own, opened when first needed. */
const MOST_READERS = 4;
const CACHE_KIB = { writer: 16_384, reader: 32_768 };
/** 16 MiB of log before it is moved into the file: a page that is written often is moved once. Measured: a tenth off every insert. */
const CHECKPOINT_PAGES = 4000;

/**
 * A storage adapter over a SQLite file. Readers never wait for a writer; writers come one after another, also across
 * processes. A transaction must not be awaited inside of another's: the inner one may wait for the outer one for ever.
 *
 * ```ts
 * const store = await sqliteStorage({ file: 'controller.db' }).open(storageSchema);
 * ```
 */
export const sqliteStorage = (options: SqliteStorageOptions): SqliteStorage => {
  checkedOptions('sqliteStorage', options, { ...STORE_OPTIONS, file: true, synchronous: true });
  let session: Session | undefined;
  const current = (): Session => {
    if (!session?.connection.database.isOpen) session = new Session(options);
    return session;
  };
  const within = (other: Partial<StoreOptions>) => storageOver(sqlite, { migrate: true, ...options, ...other }, () => current().source());
  return {
    ...within({}),
    within: (namespace) => within({ namespace }),
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
class Session {
  readonly connection: SqliteConnection;
  readonly db: Kysely<unknown>;
  readonly #writer: SqlitePool;
  readonly #reader: SqlitePool;
  /** One reader is for administrators. */
  readonly #places: Semaphore | undefined;
  readonly #options: SqliteStorageOptions;
  #users = 0;

  constructor(options: SqliteStorageOptions) {
    this.#options = options;
    // What is only looked at is not even given the journal mode that it needs for writing.
    this.connection = new SqliteConnection(options.readOnly ? openReader(options) : openWriter(options));
    this.#writer = new SqlitePool(() => this.connection, 1);
    this.db = new Kysely({
      dialect: nodeSqliteDialect({ pool: this.#writer, lockTimeout: options.lockTimeout ?? LOCK_TIMEOUT, close: () => this.close() }),
    });
    const isPrivate = this.connection.database.location() === null;
    this.#reader = isPrivate ? this.#writer : new SqlitePool(() => new SqliteConnection(openReader(options)), MOST_READERS);
    this.#places = isPrivate ? undefined : createSemaphore(MOST_READERS - 1);
  }

  source(): Source {
    this.#users++;
    const places = this.#places && { places: this.#places };
    return {
      writer: this.#writer,
      reader: this.#reader,
      ...places,
      joined: (host) => this.#joined(host),
      close: async () => this.#release(),
    };
  }

  close(): void {
    this.#reader.close();
    // The pool may not have asked for it yet.
    if (this.connection.database.isOpen) this.connection.database.close();
  }

  async backup(file: string): Promise<void> {
    // SQLite would make it for everybody to read.
    await (await open(file, 'wx', 0o600)).close();
    if (this.#reader === this.#writer) return this.#writer.use(() => copied(this.connection.database, file));
    const source = openReader(this.#options);
    await copied(source, file).finally(() => source.close());
  }

  /** The host does not wait for its turn at the connection, and so we need not either. */
  #joined(host: unknown): Connection | undefined {
    const { connection } = this;
    if (host !== connection.database || !connection.database.isTransaction) return undefined;
    return {
      host,
      async run(sql, parameters) {
        if (!connection.database.isTransaction) throw new TypeError('the transaction is over');
        return connection.execute(sql, parameters);
      },
    };
  }

  #release(): void {
    if (--this.#users === 0) this.close();
  }
}

/** All pages in one step, on another thread: a copy in several begins anew whenever another connection has written. */
const copied = async (source: DatabaseSync, file: string): Promise<void> => {
  await backup(source, file, { rate: 0x7fffffff });
};

const openWriter = ({ file, synchronous = 'FULL' }: SqliteStorageOptions): DatabaseSync => {
  const database = opened(file, false);
  database.exec(
    `pragma journal_mode = wal; pragma synchronous = ${synchronous === 'NORMAL' ? 'normal' : 'full'}; pragma cache_size = -${CACHE_KIB.writer}; pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}`,
  );
  return tuned(database);
};

const openReader = ({ file }: SqliteStorageOptions): DatabaseSync => {
  const database = opened(file, true);
  database.exec(`pragma cache_size = -${CACHE_KIB.reader}`);
  return tuned(database);
};

/** SQLite waits for locks by blocking the whole process: long while it opens, then hardly, because transactions are begun with patience. */
const OPENING_TIMEOUT = 5000;
const BUSY_TIMEOUT = 10;

const opened = (file: string, readOnly: boolean): DatabaseSync =>
  new DatabaseSync(file, { readOnly, enableForeignKeyConstraints: true, timeout: OPENING_TIMEOUT });

const tuned = (database: DatabaseSync): DatabaseSync => {
  database.exec(`pragma busy_timeout = ${BUSY_TIMEOUT}; pragma temp_store = memory`);
  for (const [name, run] of Object.entries(sqliteFunctions)) database.function(name, { deterministic: true }, run);
  return database;
};
