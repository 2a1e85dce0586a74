/** Implements the store port with connections to a SQL database. */
import {
  type ReaderSlots,
  type SchemaDifference,
  StorageError,
  type Store,
  StoreUnavailable,
  type Transaction,
  type TransactionMode,
  type TransactionOptions,
} from '../../../src/adapter-kit.ts';
import { type Connection, type Connections, run, send, translated } from './connection.ts';
import { GroupCommit, type SharedTransaction } from './group-commit.ts';
import { type HostTransactions, joinedConnection } from './host-transactions.ts';
import { type BeginOptions, inTransaction } from './in-transaction.ts';
import { REVISION } from './layout.ts';
import { LazyTransaction, numberIn } from './lazy-transaction.ts';
import { OpenCommit } from './open-commit.ts';
import { coalesced } from './request-coalescing.ts';
import type { Result } from './result.ts';
import { savepoint } from './savepoint.ts';
import type { Scope } from './scope.ts';
import { type Sql, sql } from './sql.ts';
import { KyselyTransaction } from './transaction.ts';
import { type Joining, TransactionRunner } from './transaction-runner.ts';
import type { Versions } from './versions.ts';

/** The connections of a store. */
export interface Source {
  readonly writer: Connections;
  readonly reader: Connections;
  /** The slots for readers that have a priority; undefined if the number of connections is not known. */
  readonly slots?: ReaderSlots | undefined;
  /** For an engine whose writers can share a commit: waits for concurrent writers to arrive. Default: each writer commits separately. */
  gather?(): Promise<void>;
  /** The connection on which the host has begun a transaction with statements, if `host` is one. */
  joined?(host: unknown): Connection | undefined;
  close(): Promise<void>;
}

/** Timeouts of a store, in milliseconds. */
export interface Timeouts {
  /** Maximum wait for the writer lock. */
  readonly lockTimeout: number;
  /** Maximum duration of a statement. */
  readonly statementTimeout: number;
  /** Maximum pause between two statements of a writer, during which it holds the lock. */
  readonly pauseTimeout: number;
}

/** The `pauseTimeout` of a writer whose work may pause. ms */
const LONG_PAUSE_TIMEOUT = 60_000;
/** Grace period for the server to cancel a statement at its own timeout. A server that has not answered by then is considered lost. ms */
const GRACE_PERIOD = 2000;

/** A statement that acquires a lock also waits for it, so `answerTimeout` allows for the longer of the two timeouts. */
const beginOptions = (
  mode: TransactionMode,
  { lockTimeout, statementTimeout, pauseTimeout }: Timeouts,
  options: TransactionOptions,
): BeginOptions => ({
  mode,
  limits: { lockTimeout, statementTimeout, pauseTimeout: options.mayPause ? LONG_PAUSE_TIMEOUT : pauseTimeout },
  answerTimeout: Math.max(lockTimeout, statementTimeout) + Math.min(GRACE_PERIOD, statementTimeout),
  signal: options.signal,
});

export class KyselyStore implements Store {
  readonly kinds?: ReadonlySet<string>;
  readonly #source: Source;
  readonly #versions: Versions;
  readonly #timeouts: Timeouts;
  readonly #libraries: readonly HostTransactions[];
  readonly #groups: GroupCommit | undefined;
  readonly #currentRevision = coalesced(() => this.#revision());
  #isClosed = false;

  /**
   * @param libraries the libraries whose transactions the store can join
   * @param kinds the kinds that have tables, for a read-only store
   */
  constructor(
    source: Source,
    versions: Versions,
    timeouts: Timeouts,
    { libraries, kinds }: { readonly libraries: readonly HostTransactions[]; readonly kinds?: ReadonlySet<string> | undefined },
  ) {
    this.#source = source;
    this.#versions = versions;
    this.#timeouts = timeouts;
    this.#libraries = libraries;
    this.#groups = source.gather && new GroupCommit((work) => this.#inSharedTransaction(work), source.gather);
    if (kinds) this.kinds = kinds;
  }

  async transaction<T>(mode: TransactionMode, work: (tx: Transaction) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    this.#assertOpen(mode);
    if (mode === 'read' && options.priority) return this.#readLazily(work, options);
    const { signal, mayShareCommit } = options;
    if (mode === 'write' && mayShareCommit && this.#groups) return this.#groups.run(work, signal);
    if (mode === 'read')
      return this.#reading(options, (connection, scope) =>
        runTransaction(new TransactionRunner(connection, scope, { signal }), mode, work),
      );
    return this.#writing(options, (connection, scope, commit) =>
      runTransaction(new TransactionRunner(connection, scope, { signal, ...(mayShareCommit && { commit }) }), mode, work),
    );
  }

  /**
   * Reruns the work if its reads are stale.
   * @param isEager true to begin the transaction with the query for the revision, so that reads cannot become stale
   */
  async #readLazily<T>(work: (tx: Transaction) => Promise<T>, options: TransactionOptions, isEager = false): Promise<T> {
    const { engine, scope } = this.#versions;
    const { reader, slots } = this.#source;
    const lazy = new LazyTransaction({
      engine,
      connections: reader,
      slots,
      begin: beginOptions('read', this.#timeouts, {}),
      revision: scope.number(REVISION),
      currentRevision: isEager ? undefined : this.#currentRevision,
      options,
    });
    const runner = new TransactionRunner(lazy.connection, scope, { lazy });
    try {
      const result = await work(new KyselyTransaction(runner, 'read'));
      await lazy.end();
      if (!lazy.isStale) return result;
    } catch (error) {
      await lazy.end().catch(() => undefined);
      if (!lazy.isStale) throw options.signal?.aborted ? options.signal.reason : error;
    } finally {
      runner.end();
    }
    return this.#readLazily(work, options, isEager || lazy.hasMoved);
  }

  /** Takes no signal, because handling one would cost more than this short query. A connection that does not answer is destroyed. */
  #revision(): Promise<number> {
    const { engine, scope } = this.#versions;
    const read = async (connection: Connection) => numberIn(await send(engine, connection, scope.number(REVISION)));
    return this.#source.reader.use(read, beginOptions('read', this.#timeouts, {}));
  }

  #inSharedTransaction(work: (shared: SharedTransaction) => Promise<void>): Promise<void> {
    return this.#writing({}, (connection, scope, commit) =>
      work({
        part: (memberWork, signal) => runTransaction(new TransactionRunner(connection, scope, { signal, commit }), 'write', memberWork),
        savepoint: async (memberWork) => {
          const { revision } = commit;
          const result = await savepoint(this.#versions.engine, connection, memberWork);
          if (result.status === 'rejected') commit.returnTo(revision);
          return result;
        },
      }),
    );
  }

  #reading<T>(options: TransactionOptions, work: (connection: Connection, scope: Scope) => Promise<T>): Promise<T> {
    const { engine, scope } = this.#versions;
    return inTransaction(engine, this.#source.reader, beginOptions('read', this.#timeouts, options), (connection) =>
      work(connection, scope),
    );
  }

  /**
   * Reads the schema version and the revision when the transaction begins, and writes the last revision of the commit right before the
   * commit.
   */
  #writing<T>(options: TransactionOptions, work: (connection: Connection, scope: Scope, commit: OpenCommit) => Promise<T>): Promise<T> {
    const { engine, scope: known } = this.#versions;
    let commit = new OpenCommit(0);
    let version: Result | undefined;
    const begin: BeginOptions = {
      ...beginOptions('write', this.#timeouts, options),
      first: [...this.#firstStatements(), known.number(REVISION)],
      onBegun: (results) => {
        version = results.at(-2);
        commit = new OpenCommit(numberIn(results.at(-1)));
      },
      last: () =>
        commit.revisionToWrite === undefined
          ? []
          : known.change(REVISION, { existing: 'set', value: sql`${commit.revisionToWrite}`, returning: false }),
    };
    return inTransaction(engine, this.#source.writer, begin, async (connection) => {
      const scope = await this.#versions.scopeAt(version, (statement) => run(engine, connection, statement));
      return work(connection, scope, commit);
    });
  }

  join(host: unknown): Transaction {
    this.#assertOpen('write');
    const connection = this.#source.joined?.(host) ?? joinedConnection(this.#versions.engine, this.#libraries, host);
    if (!connection)
      throw new TypeError(
        'a host transaction must be an open transaction of Kysely, of a library in the option hostTransactions of the storage adapter, the connection of this store, or a client of pg that has begun one',
      );
    const begin: Joining['begin'] = async (run) => {
      let version: Result | undefined;
      for (const statement of this.#firstStatements()) version = await run(statement);
      return this.#versions.scopeAt(version, run);
    };
    return new KyselyTransaction(new TransactionRunner(connection, this.#versions.scope, { joining: { begin } }), 'write');
  }

  async check(): Promise<SchemaDifference> {
    this.#assertOpen('read');
    const { engine, statement } = this.#versions;
    await this.#reading({}, async (connection) => {
      const send = (statement: Sql) => run(engine, connection, statement);
      await this.#versions.scopeAt(await send(statement), send);
    });
    // Nearly every call begins with this statement, which has parameters, unlike the one above.
    await this.#revision().catch((error: unknown) => {
      throw translated(engine, error);
    });
    return this.#versions.difference;
  }

  /** Acquires the writer lock of this namespace, then queries the schema version, which cannot change while the lock is held. */
  #firstStatements(): readonly Sql[] {
    return [...this.#versions.scope.lockWriters(this.#timeouts), this.#versions.statement];
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#source.close();
  }

  #assertOpen(mode: TransactionMode): void {
    if (this.#isClosed) throw new StoreUnavailable('the store is closed');
    if (mode === 'write' && this.kinds) throw new StorageError('the store is read-only (readOnly)');
  }
}

/**
 * Runs work in a transaction, then ends its runner.
 * @throws the reason of the runner's signal if it is aborted
 */
const runTransaction = async <T>(runner: TransactionRunner, mode: TransactionMode, work: (tx: Transaction) => Promise<T>): Promise<T> => {
  const { signal } = runner;
  try {
    const result = await work(new KyselyTransaction(runner, mode));
    signal?.throwIfAborted();
    return result;
  } catch (error) {
    throw signal?.aborted ? signal.reason : error;
  } finally {
    runner.end();
  }
};
