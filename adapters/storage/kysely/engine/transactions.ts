import type { IsolationLevel } from 'kysely';
import type { TransactionMode } from '../../../../src/adapter-kit.ts';
import type { Result } from '../result.ts';
import type { Sql } from '../sql.ts';
import type { StateRow } from './writes.ts';

/** Transactions, locks, cancellation and errors. */
export interface SqlTransactions {
  /**
   * The statements that begin a transaction, in order.
   *
   * A `read` transaction must see one snapshot of the database until it ends: snapshot isolation, or `repeatable read` if that is
   * equivalent. It should refuse writes. A `write` transaction must be serializable with respect to all other write transactions of its
   * namespace. If these are excluded before the first statement, here or in `lockWriters`, `read committed` is sufficient.
   *
   * The statements should also set `limits`, as far as the server supports them, for this transaction only.
   */
  begin(mode: TransactionMode, limits: Limits): readonly string[];
  /**
   * For a driver that cannot begin transactions with a statement (Kysely's for SQL Server): the isolation level with which the driver
   * begins the transaction. The statements of `begin` then run within it. Default: `begin` begins the transaction, and the statement
   * `commit` or `rollback` ends it.
   */
  isolationLevel?(mode: TransactionMode): IsolationLevel;
  /** True if the result of `commit` reports a rollback. Default: never, because a commit that fails is an error. */
  isRolledBack?(result: Result): boolean;

  /**
   * The statements that acquire the writer lock of a namespace until the transaction ends. They run first in every write transaction, and
   * in a host's transaction when it is joined. `revision` is a row of the namespace, which may not exist yet. `limits` are for locks that
   * take a timeout as an argument. Default: none, because `begin` excludes other writers.
   */
  lockWriters?(revision: StateRow, limits: Limits): readonly Sql[];
  /**
   * Acquires the migration lock for the tables with this prefix, which may not exist yet. Runs first in the transaction of a migration.
   * Default: none, because `begin` excludes other writers.
   */
  lockMigrations?(prefix: string, limits: Limits): Sql;
  /**
   * Releases a lock of `lockMigrations` that outlives the transaction. Runs last in the transaction of a migration, even if the migration
   * failed. Other processes must not continue before the migration is committed, so these statements may have to commit it. Default: none.
   */
  unlockMigrations?(prefix: string): readonly Sql[];
  /**
   * Waits for all writers that have read the table of migrations, and blocks new ones (at `lockWriters`, or when they read that table)
   * until the transaction ends. Runs before a database is migrated from an older version, so that no process of the older release writes
   * into the new tables. Default: none, because `begin` excludes other writers.
   */
  lockOut?(tables: SharedTables): Sql;

  /**
   * Cancels a running statement when its call is aborted, for example because a client disconnected. Requires a free connection. Default:
   * the statement runs until it completes or the server stops it.
   */
  readonly cancellation?: Cancellation;

  /**
   * Classifies an error; undefined if it is from neither the driver nor the database. Called for every error; must not throw. A transaction
   * that is `busy` when it begins is retried until `lockTimeout` has passed.
   */
  failure(error: unknown): Failure | undefined;
}

/** Timeouts for the server to enforce, in milliseconds; undefined for none. */
export interface Limits {
  /** Maximum wait for a lock. */
  readonly lockTimeout: number;
  /** Maximum duration of a statement. */
  readonly statementTimeout?: number | undefined;
  /** Maximum pause between two statements of a writer, during which it blocks other writers. */
  readonly pauseTimeout?: number | undefined;
}

/** The quoted names of the tables that all kinds share. */
export interface SharedTables {
  /** The revision of each namespace, and its number of rows of each kind. */
  readonly state: Sql;
  /** The migrations that have run. */
  readonly migrations: Sql;
}

/** The cancellation of a statement of one connection by another. */
export interface Cancellation {
  /** Selects the id of the current session, a number, as `value`. Runs within the transaction, before `lockWriters`. */
  readonly session: Sql;
  /** Cancels the statement that this session is running, if any. Runs on another connection. */
  stop(session: number): Sql;
}

/** The consequence of an error for a transaction. */
export type Failure =
  /** A unique value or a primary key is taken. `column`: the column or the unique index, by its name; `id` for a primary key. */
  | { readonly is: 'unique'; readonly table: string; readonly column: string }
  | {
      /**
       * `busy`: another transaction holds a lock; waiting helps. `conflict`: the transaction lost to another one, e.g. in a deadlock, and
       * may be retried. `tooLong`: a text is too long for a column or an index. `unavailable`: there is no connection, or the server
       * refuses service. `other`: the database refused the statement.
       */
      readonly is: 'busy' | 'conflict' | 'tooLong' | 'unavailable' | 'other';
    };
