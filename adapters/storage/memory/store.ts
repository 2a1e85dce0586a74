/** A store in memory, for tests, trials, and controllers whose data need not survive the process. */
import {
  checkedOptions,
  type StorageAdapter,
  type StorageSchema,
  type Store,
  StoreUnavailable,
  type Transaction,
  type TransactionMode,
  type TransactionOptions,
} from '../../../src/adapter-kit.ts';
import { Database, MemoryHostTransaction, type View } from './database.ts';
import { MemoryTransaction } from './transaction.ts';

/** Options of `memoryStorage`. */
export interface MemoryStorageOptions {
  /** Controllers with different namespaces share no data, even in one database. Default: `'default'`. */
  readonly namespace?: string;
  /** The database. Controllers that share one can be written in a single host transaction. Default: a new database. */
  readonly database?: MemoryDatabase;
  /** Time for which a write may wait for other writers, in milliseconds, before it fails with `StoreBusy`. Default: 5000. */
  readonly lockTimeout?: number;
}

/** The data of one or more memory stores. It lives as long as something references it. */
export interface MemoryDatabase {
  /**
   * Begins a write transaction for `Store.join`, after all earlier ones have ended.
   * @param lockTimeout time to wait for earlier transactions, in ms. Default: 5000
   * @throws StoreBusy after that time
   */
  begin(lockTimeout?: number): Promise<MemoryHostTransaction>;
}

/** A storage adapter in memory. */
export interface MemoryStorage extends StorageAdapter {
  readonly database: MemoryDatabase;
}

/** Creates an empty database for memory stores. */
export const memoryDatabase = (): MemoryDatabase => new Database();

/**
 * Creates a storage adapter that keeps everything in memory. The data survives closing and reopening the store.
 *
 * A write transaction waits until the previous one has ended. Do not await a write transaction within another one: it would wait for the
 * outer one until `lockTimeout`.
 *
 * ```ts
 * const storage = memoryStorage();
 * const host = await storage.database.begin();
 * await store.join(host).insert('note', row);
 * host.commit();
 * ```
 *
 * @throws TypeError if `database` was not created by `memoryDatabase`
 */
export const memoryStorage = (options: MemoryStorageOptions = {}): MemoryStorage => {
  const {
    namespace = 'default',
    database = memoryDatabase(),
    lockTimeout,
  } = checkedOptions('memoryStorage', options, { namespace: true, database: true, lockTimeout: true });
  if (!(database instanceof Database)) throw new TypeError('database must come from memoryDatabase()');
  return {
    database,
    secretKey: database.secretKey,
    async open(schema: StorageSchema): Promise<Store> {
      database.prepare(namespace, schema);
      return new MemoryStore(database, namespace, lockTimeout);
    },
  };
};

class MemoryStore implements Store {
  readonly #database: Database;
  readonly #namespace: string;
  readonly #lockTimeout: number | undefined;
  #isClosed = false;

  constructor(database: Database, namespace: string, lockTimeout: number | undefined) {
    this.#database = database;
    this.#namespace = namespace;
    this.#lockTimeout = lockTimeout;
  }

  async transaction<T>(mode: TransactionMode, work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T> {
    this.#assertOpen();
    if (mode === 'read') return work(new MemoryTransaction(takeSnapshot(this.#database, this.#namespace), undefined, options));
    const writer = await this.#database.begin(this.#lockTimeout);
    try {
      const result = await work(new MemoryTransaction(writer.view(this.#namespace), writer, options));
      writer.commit();
      return result;
    } catch (error) {
      writer.rollback();
      throw error;
    }
  }

  join(host: unknown): Transaction {
    this.#assertOpen();
    if (!(host instanceof MemoryHostTransaction) || !host.belongsTo(this.#database)) {
      throw new TypeError('a memory store can only join transactions from begin() of its own database');
    }
    return new MemoryTransaction(host.view(this.#namespace), host);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new StoreUnavailable('the store is closed');
  }
}

const takeSnapshot = (database: Database, namespace: string): View => {
  const state = database.state(namespace);
  return {
    read: () => state,
    change() {
      throw new TypeError('writing requires a write transaction');
    },
  };
};
