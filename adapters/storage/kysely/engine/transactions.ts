import type { IsolationLevel } from 'kysely';
import type { TransactionMode } from '../../../../src/adapter-kit.ts';
import type { Result } from '../result.ts';
import type { Sql } from '../sql.ts';
import type { StateRow } from './writes.ts';

/** How transactions begin, wait for each other, and fail. */
export interface SqlTransactions {
  /**
   * The statements that begin a transaction, in order.
   *
   * A `read` transaction must see one state of the database until its end: snapshot isolation, or `repeatable read` where that is the same. It should refuse
   * writes. A `write` transaction must be serialisable against every other of its namespace. It may get there by excluding the others from its first statement
   * on, here or in `lockWriters`; then `read committed` suffices.
   *
   * The statements also hand `limits` to the server, as far as it knows such limits. They hold for this transaction only.
   */
  begin(mode: TransactionMode, limits: Limits): readonly string[];
  /**
   * For a driver that begins transactions by a message of its protocol, and not by a statement (Kysely's for SQL Server): the isolation level to begin with.
   * The statements of `begin` then run within the transaction. Default: `begin` begins it, and `commit` or `rollback` ends it, as statements.
   */
  isolationLevel?(mode: TransactionMode): IsolationLevel;
  /** Whether the answer to `commit` says that the transaction was rolled back. Default: it never does, because a commit that fails is an error. */
  isRolledBack?(result: Result): boolean;

  /**
   * The statements that make a writer wait for the other writers of its namespace until the transaction ends. They run first in every write transaction, and
   * in a transaction of the host that is joined. `revision` is a row that each namespace has; it may still be missing. `limits` are for a lock that takes its
   * timeout as an argument. Default: none, because `begin` excludes other writers.
   */
  lockWriters?(revision: StateRow, limits: Limits): readonly Sql[];
  /**
   * Makes processes that migrate wait for each other. Runs first in the transaction of a migration, when the tables with this prefix may not exist.
   * Default: none, because `begin` excludes other writers.
   */
  lockMigrations?(prefix: string, limits: Limits): Sql;
  /**
   * Releases a lock of `lockMigrations` that does not end with the transaction. Runs last in the transaction of a migration, also of one that failed. It must
   * not let others go on before the migration is committed, and may have to commit it. Default: none.
   */
  unlockMigrations?(prefix: string): readonly Sql[];
  /**
   * Waits until all writers that have read the table of migrations are over, and keeps others from reading it, or from passing `lockWriters`, until the
   * transaction ends. Runs before a database is migrated from an older version, so that no process of the older release writes into the new tables.
   * Default: none, because `begin` excludes other writers.
   */
  lockOut?(tables: SharedTables): Sql;

  /**
   * How to stop the statement that a connection is running once its caller has given up, as a client that goes away does. Needs another connection that is
   * free. Default: the statement runs to its end, or until `statementTimeout` is over.
   */
  readonly cancellation?: Cancellation;

  /**
   * What an error of the driver means; undefined for an error that is not of the driver or the database. Called for every error; must not throw.
   * What is `busy` at the beginning of a transaction is tried again, until `lockTimeout` is over.
   */
  failure(error: unknown): Failure | undefined;
}

/** What the server itself should put an end to, in milliseconds. Undefined: no limit. */
export interface Limits {
  /** Waiting for locks. */
  readonly lockTimeout: number;
  /** One statement. */
  readonly statementTimeout?: number | undefined;
  /** A pause between two statements of a writer, who keeps other writers waiting. */
  readonly pauseTimeout?: number | undefined;
}

/** Tables that exist once, whatever kinds there are: quoted names. */
export interface SharedTables {
  /** The revision of each namespace, and how many rows it has of each kind. */
  readonly state: Sql;
  /** The migrations that were run. */
  readonly migrations: Sql;
}

export interface Cancellation {
  /** Selects the number of the connection that it runs on, as `value`. Runs within the transaction, before `lockWriters`. */
  readonly session: Sql;
  /** Stops the statement that the connection with this number is running, if any. Runs on another connection. */
  stop(session: number): Sql;
}

/** What an error means for a transaction. */
export type Failure =
  /** A unique value or a primary key is taken. `column`: the column or the unique index, by its name; `id` for a primary key. */
  | { readonly is: 'unique'; readonly table: string; readonly column: string }
  | {
      /**
       * `busy`: another transaction holds a lock; waiting helps. `conflict`: the transaction lost against another one, as in a deadlock, and may run again.
       * `tooLong`: a text is too long for a column or an index. `unavailable`: there is no connection, or the server refuses its service.
       * `other`: the database refused the statement.
       */
      readonly is: 'busy' | 'conflict' | 'tooLong' | 'unavailable' | 'other';
    };
