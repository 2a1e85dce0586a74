import type { Predicate, SortKey } from '../../query/predicate.ts';

/**
 * The storage port: everything that the core requires of a store and that an adapter must provide. It has no queries for particular kinds.
 *
 * It defines the semantics in which SQL dialects differ:
 * - Rows are JSON documents. They are ordered by the sort keys, then by `id` ascending: text by Unicode code point, `false` before
 *   `true`, null before everything else. Descending order reverses all of this.
 * - A document comes back with its fields in the order in which they were inserted, because change records are hashed
 *   (`src/store/changelog/chain.ts`).
 * - Text comparison is exact and case-sensitive. Dates are ISO 8601 texts in UTC with three decimals.
 * - A transaction sees its own writes. A `write` transaction is serializable with respect to all others; a `read` transaction sees a
 *   consistent snapshot.
 * - Callers must not modify rows that a store returns. A store must not keep references to rows that it receives.
 */

/** A stored entity. `version` is the revision of its last write, and never 0. The document contains all fields except `version`. */
export interface Row {
  readonly id: string;
  readonly version: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly [field: string]: unknown;
}

/** Selects a page of rows in an order. */
export interface Query {
  readonly where: Predicate;
  /** Sort keys. Default: none, which means the order of `id`. */
  readonly sort?: readonly SortKey[];
  /** Number of rows to skip. Default: 0. */
  readonly offset?: number;
  /** Maximum number of rows to return. Default: no limit. */
  readonly limit?: number;
}

/** One read of `Transaction.readAll`: the arguments of a `list` or of a `referenced`. */
export type Read =
  | { readonly read: 'list'; readonly kind: string; readonly query: Query }
  | {
      readonly read: 'referenced';
      readonly kind: string;
      readonly field: string;
      readonly values: readonly string[];
      readonly where?: Predicate | undefined;
    };

/** The answer to a `Read`: the rows of a `list`, or the values of a `referenced`. */
export type ReadAnswer = readonly Row[] | readonly string[];

/** The operations of a store within one transaction. Kinds and fields are those of the schema. */
export interface Transaction {
  /** The transaction of the engine, in the form that `Store.join` accepts. */
  readonly host: unknown;
  /**
   * For a write transaction that may share its commit: the rows written since the last commit, by itself and by the others in the group.
   * Caches must not serve or store these rows. Undefined if the transaction does not share its commit, or the adapter does not track
   * writes.
   */
  readonly uncommitted?: Uncommitted | undefined;
  /**
   * True for a view of a transaction, whose rows are not those of the store: caches must neither serve nor store them. Adapters leave it
   * out.
   */
  readonly isView?: boolean | undefined;
  /** The row with this id. */
  get(kind: string, id: string): Promise<Row | undefined>;
  /** The rows of a page, in order. */
  list(kind: string, query: Query): Promise<readonly Row[]>;
  /** The number of rows that satisfy a predicate. */
  count(kind: string, where: Predicate): Promise<number>;
  /**
   * @throws UniqueViolation if the id or a unique field is taken. It names the first such field in the order of the schema, and the id
   * before all others. Nothing is written in this case, and the transaction can continue.
   */
  insert(kind: string, row: Row): Promise<void>;
  /**
   * Replaces the row with the same id if it still has version `expected`.
   * @throws UniqueViolation like `insert`; RowMissing if the row does not exist; WriteConflict if it has another version
   */
  update(kind: string, row: Row, expected: number): Promise<void>;
  /** @returns whether the row existed */
  delete(kind: string, id: string): Promise<boolean>;
  /** The distinct elements of a set field in all rows of the kind, ascending by code point. */
  distinct(kind: string, set: string): Promise<readonly string[]>;
  /**
   * Filters `values`: returns those that the single-valued string field `field` has in at least one row that satisfies `where` (default:
   * all rows). The cost depends on the number of values, not on the number of rows.
   */
  referenced(kind: string, field: string, values: readonly string[], where?: Predicate): Promise<readonly string[]>;
  /**
   * Runs several reads, in one statement if the engine can. `readEach` of the adapter kit is an implementation for other engines.
   * @returns the answers in the same order
   */
  readAll(reads: readonly Read[]): Promise<readonly ReadAnswer[]>;
  /** The last revision drawn in the state that this transaction sees; 0 if none. */
  revision(): Promise<number>;
  /**
   * Draws the next revision of the store's namespace: 1, 2, 3, ... without gaps across committed transactions. Only in a `write`
   * transaction.
   * @param atLeast skips lower revisions, to restore rows with their former revisions
   */
  nextRevision(atLeast?: number): Promise<number>;
  /**
   * Verifies the indexes of a kind (columns, elements of sets, row counts) against the documents, one page of rows at a time in order of
   * id.
   */
  verify(kind: string, page: VerifyPage): Promise<Verified>;
  /**
   * Rebuilds the index entries of one document or, without an id, those that concern the kind as a whole, such as row counts. Documents are
   * not modified. If the document does not exist, its index entries are removed.
   * @returns whether the indexes are now correct; false, and nothing is written, if the document cannot be stored as it is, e.g. because
   * another row has one of its unique values
   */
  repair(kind: string, id?: string): Promise<boolean>;
  /**
   * Deletes everything that the store keeps for the namespace besides its rows, such as the revision, to complete the erasure of a
   * namespace without rows. Only in a `write` transaction, as its last operation.
   */
  forget(): Promise<void>;
  /**
   * For a store that checks a write as a whole before its commit: runs these checks now, for a transaction that will be rolled back.
   * Adapters of databases need not have it.
   */
  beforeCommit?(): Promise<void>;
}

/** The writes that a group commit contains so far. */
export interface Uncommitted {
  /** The revision up to which everything is committed. */
  readonly since: number;
  /** True if nothing was written. */
  readonly isEmpty: boolean;
  /** True if a row was written, or may have been. */
  has(kind: string, id: string): boolean;
}

/** The rows to verify. */
export interface VerifyPage {
  /** Starts after this id. Default: with the first row. */
  readonly after?: string;
  /** Maximum number of rows to verify. */
  readonly limit: number;
}

/** The result of verifying some rows. */
export interface Verified {
  readonly faults: readonly IndexFault[];
  /** The id after which to continue; undefined if all rows have been verified. */
  readonly next: string | undefined;
}

/** An index entry or count that disagrees with the documents. */
export interface IndexFault {
  /** The id of the affected row; undefined if the fault affects the whole kind. */
  readonly id?: string;
  /** A description of the fault. It names fields, but never contains values, which may be secret. */
  readonly description: string;
}

/** The access mode of a transaction: only `write` may change rows. */
export type TransactionMode = 'read' | 'write';

/**
 * Determines which connections a read may use if there are only a few: `ordinary` reads must leave some free, `reserved` reads may use all
 * of them.
 */
export type Priority = 'ordinary' | 'reserved';

/** Options of a transaction. */
export interface TransactionOptions {
  /**
   * Once aborted, nothing is committed, and the transaction rejects with its reason. The running statement is cancelled if the engine can
   * do so.
   */
  readonly signal?: AbortSignal | undefined;
  /**
   * True if the work waits for anything other than the store, as a restore does. Default: false, which means that a writer that pauses for
   * some seconds counts as lost.
   */
  readonly mayPause?: boolean;
  /**
   * True if a write may be committed together with concurrent ones (group commit), so that it waits for these. Each is still atomic by
   * itself. Only for work that waits for nothing but the store, or beside which nobody else writes, such as filling an empty store.
   * Default: false.
   */
  readonly mayShareCommit?: boolean;
  /**
   * Returns the priority of a `read` among those that wait for a connection. It is called when the transaction first needs one. As long as
   * it returns undefined, because the caller is not identified yet, it is called again before each statement. If this option is set, the
   * store may start the transaction lazily, and may run the work more than once, so the work must have no side effects. Default:
   * `reserved`.
   */
  priority?(): Priority | undefined;
  /**
   * Called if the transaction has to wait because of its priority.
   * @returns a function to call at the end of the wait
   */
  onWait?(): (() => void) | undefined;
}

/** An open store, in which each controller has a namespace. */
export interface Store {
  /**
   * Runs `work` in a new transaction, which is committed if `work` resolves, and rolled back if it rejects.
   * @throws ValueTooLong if a string is too long for the engine to index; WriteConflict if the engine could not serialize the transaction
   * (the caller may retry); StoreBusy if another writer blocked the database for too long; StoreUnavailable if the database is unavailable;
   * StoreSchemaMismatch for a `write` if a newer version that is incompatible with this one has migrated the database in the meantime
   */
  transaction<T>(mode: TransactionMode, work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * The same operations within an open transaction of the host on the same database. The host commits or rolls back.
   * @throws TypeError if `host` is not a transaction of this adapter's engine
   */
  join(host: unknown): Transaction;
  /**
   * Checks that the database responds, and that this version can write to it.
   * @returns how its schema differs from that of this version; undefined if it does not
   * @throws StoreUnavailable; StoreSchemaMismatch if a newer version that is incompatible with this one has migrated the database in the
   * meantime
   */
  check?(): Promise<SchemaDifference | undefined>;
  /** For a read-only store: the kinds that have tables. In any other store, all kinds have tables. */
  readonly kinds?: ReadonlySet<string>;
  /** Closes the store of this controller. Other stores on the same database stay open. */
  close(): Promise<void>;
}

/** The difference of the schema of a database from that of this version, if they are compatible. */
export interface SchemaDifference {
  /** The number and name of each migration of this version that has not been run yet and is not required, in order. */
  readonly pending: readonly string[];
  /** True if a newer version has migrated the database, and this one can still run alongside it. */
  readonly isAhead: boolean;
}

/** Opens the store of a controller. An adapter is passed to `ManagementController.open`. */
export interface StorageAdapter {
  /**
   * Opens the store for these kinds. Issues no DDL unless the adapter is configured to migrate on open.
   * @throws StoreSchemaMismatch if the schema of the database is too old or too new for `schema`; StoreUnavailable if the database cannot
   * be reached; StoreBusy if another process, e.g. one that migrates, blocked the database for longer than the adapter waits
   */
  open(schema: StorageSchema): Promise<Store>;
  /** For a store that does not outlive the process: a secret key with the same lifetime, for hosts that provide none. */
  readonly secretKey?: string;
}

/** The storage of a kind: the fields that are queried, compared or unique, in addition to the document itself. */
export interface KindSchema {
  readonly kind: string;
  /** Single-valued top-level fields with a column. `id`, `version`, `createdAt`, `updatedAt` always exist. */
  readonly columns: readonly ColumnSchema[];
  /** Set-valued top-level fields (arrays of text), each with an index by value. */
  readonly sets: readonly string[];
}

/** A field with a column. */
export interface ColumnSchema {
  readonly name: string;
  readonly type: 'string' | 'number' | 'boolean' | 'date';
  /**
   * `'unique'`: no two rows share a value (null does not count as a value). `true`: often queried by value. `false`: only used in filters.
   */
  readonly index: 'unique' | boolean;
}

/** The storage of all kinds. */
export type StorageSchema = readonly KindSchema[];
