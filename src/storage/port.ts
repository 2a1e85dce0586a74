import type { Predicate, SortKey } from '../query/predicate.ts';

/**
 * The storage port: all that the core requires of a store, and all that an adapter must offer. It has no finders for particular kinds.
 *
 * What dialects disagree about is fixed here:
 * - Rows are JSON documents. They are ordered by the sort keys, then by `id` ascending; text by Unicode code point, `false` before
 *   `true`, null before everything else (descending reverses that too).
 * - Text comparison is exact and case sensitive. Dates are ISO 8601 texts in UTC with three decimals.
 * - A transaction sees its own writes. A `write` transaction is serialisable against every other; a `read` transaction sees one state.
 * - Rows handed out are the caller's to read, never to change; rows handed in are not kept by reference.
 */

/** A stored entity. `version` is the revision of its last write (0 is never used). All fields but `version` are in the document. */
export interface Row {
  readonly id: string;
  readonly version: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly [field: string]: unknown;
}

/** Which rows, in which order, and which part of them. */
export interface Query {
  readonly where: Predicate;
  /** Defaults to none: the order is then by `id`. */
  readonly sort?: readonly SortKey[];
  /** Rows to skip; default 0. */
  readonly offset?: number;
  /** Maximum number of rows to return; default: all. */
  readonly limit?: number;
}

/** A question that `Transaction.readAll` takes: what `list` or `referenced` is asked. */
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

/** The operations of a store in one transaction. Kinds and fields are those of the schema. */
export interface Transaction {
  /** The engine's own transaction, in the form that `Store.join` takes. */
  readonly host: unknown;
  /**
   * Of a write that may share its commit: what was written since the last one, by itself and by those with whom it shares the commit. Only what has not been
   * written may be remembered. Default: it shares none, and nobody knows.
   */
  readonly uncommitted?: Uncommitted | undefined;
  /** The row with this id. */
  get(kind: string, id: string): Promise<Row | undefined>;
  /** The rows of a page, in order. */
  list(kind: string, query: Query): Promise<readonly Row[]>;
  /** The number of rows that satisfy it. */
  count(kind: string, where: Predicate): Promise<number>;
  /**
   * @throws UniqueViolation if a unique field or the id is taken, with the first of them in the order of the schema, the id before all. Nothing is
   * written then, and the transaction continues.
   */
  insert(kind: string, row: Row): Promise<void>;
  /**
   * Replaces the row of the same id, if it still has version `expected`.
   * @throws UniqueViolation like `insert`; RowMissing if there is no such row; WriteConflict if it has another version.
   */
  update(kind: string, row: Row, expected: number): Promise<void>;
  /** @returns whether there was such a row. */
  delete(kind: string, id: string): Promise<boolean>;
  /** The distinct elements of a set field in use over all rows of the kind, ascending by code point. */
  distinct(kind: string, set: string): Promise<readonly string[]>;
  /**
   * Those of `values` that the single-valued string field `field` of at least one row satisfying `where` (default: any) has. The cost depends on the
   * number of values, not of rows.
   */
  referenced(kind: string, field: string, values: readonly string[], where?: Predicate): Promise<readonly string[]>;
  /**
   * The answers to several questions, in their order: in one statement, where the engine can. `readEach` of the adapter kit is an implementation for those
   * that cannot.
   */
  readAll(reads: readonly Read[]): Promise<readonly ReadAnswer[]>;
  /** The last revision drawn, in the state that this transaction sees; 0 before the first. */
  revision(): Promise<number>;
  /**
   * Draws the next revision of the store's namespace: 1, 2, 3, ... without gaps over committed transactions. Only in a `write` transaction.
   * `atLeast` skips those below it: for rows that are restored with their former revisions.
   */
  nextRevision(atLeast?: number): Promise<number>;
  /** Verifies the indexes of a kind (columns, elements of sets, row counts) against their documents, some rows at a time in order of id. */
  verify(kind: string, page: VerifyPage): Promise<Verified>;
  /**
   * Rebuilds the indexes of the document of a row or, without an id, those of the kind as a whole. The document is unchanged; index entries of a
   * missing document are removed.
   * @returns whether the indexes are now correct; false if the document cannot be stored as it is, e.g. for a unique value that another row has. Nothing is
   * written then
   */
  repair(kind: string, id?: string): Promise<boolean>;
  /**
   * Forgets everything that the store keeps for the namespace besides its rows, such as the revision: for a namespace that is being erased, once it has no row left.
   * Only in a `write` transaction, as its last operation.
   */
  forget(): Promise<void>;
}

/** What a commit holds so far. */
export interface Uncommitted {
  /** The revision up to which everything is committed. */
  readonly since: number;
  /** Whether nothing was written. */
  readonly isEmpty: boolean;
  /** Whether a row was written, or may have been. */
  has(kind: string, id: string): boolean;
}

/** Which rows to verify. */
export interface VerifyPage {
  /** Rows up to this id were verified already; default: none. */
  readonly after?: string;
  /** How many rows to check. */
  readonly limit: number;
}

/** The result of verifying some rows. */
export interface Verified {
  readonly faults: readonly IndexFault[];
  /** The id to continue after; undefined once all rows were checked. */
  readonly next: string | undefined;
}

/** An index entry or count that disagrees with the documents. */
export interface IndexFault {
  /** The row that it is about; undefined if the fault concerns the whole kind. */
  readonly id?: string;
  /** A description of the fault; names fields and never values, which may be secret. */
  readonly description: string;
}

/** Whether a transaction may write. */
export type TransactionMode = 'read' | 'write';

/** Which connections a read may take, if these are few: `ordinary` all but some, `reserved` all. */
export type Priority = 'ordinary' | 'reserved';

/** How a transaction is run. */
export interface TransactionOptions {
  /** Once aborted, nothing is committed, and the transaction rejects with its reason. An engine that can, cancels the running statement. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Whether the work waits for anything other than the store, as a restore does. Default false: a writer that pauses for some seconds
   * counts as lost.
   */
  readonly mayPause?: boolean;
  /**
   * Whether a write may be committed together with others that came at the same time, so that it waits for these. Each is still atomic by itself.
   * For work that waits for nothing but the store. Default false.
   */
  readonly mayShareCommit?: boolean;
  /**
   * Of a `read`: its priority among those that wait for a connection, asked when the transaction first needs one. Undefined while its caller is not known
   * yet: the store asks again before each later statement. With a priority, the store may begin the transaction with the first statement that needs it,
   * and run its work again: it must have no effects. Default: `reserved`.
   */
  priority?(): Priority | undefined;
  /** Called when the transaction has to wait because of its priority. @returns called at the end of the wait */
  onWait?(): (() => void) | undefined;
}

/** An open store, in which each controller has a namespace. */
export interface Store {
  /**
   * Runs `work` in a new transaction: committed when it resolves, rolled back when it rejects.
   * @throws ValueTooLong if a string exceeds what the engine can index; WriteConflict if the engine could not serialise it (the caller may
   * retry); StoreBusy if another writer held the database for too long; StoreUnavailable if the database is unavailable; StoreSchemaMismatch for
   * a `write` if a newer version, which this one cannot run beside, has migrated the database since
   */
  transaction<T>(mode: TransactionMode, work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * The same operations inside a transaction that the host has open on the same database; the host commits or rolls back.
   * @throws TypeError if `host` is not a transaction of this adapter's engine.
   */
  join(host: unknown): Transaction;
  /**
   * Whether the database answers, and can be written by this version.
   * @returns how its schema differs from that of this version, if it does
   * @throws StoreUnavailable; StoreSchemaMismatch if a newer version, which this one cannot run beside, has migrated the database since
   */
  check?(): Promise<SchemaDifference | undefined>;
  /** For a read-only store: the kinds that have tables. In any other store, all kinds have tables. */
  readonly kinds?: ReadonlySet<string>;
  /** Ends the store of this controller; those of others on the same database stay open. */
  close(): Promise<void>;
}

/** How the schema of a database differs from that of this version, if this version works with both. */
export interface SchemaDifference {
  /** The migrations of this version that have not been run yet, and can wait: by number and name, in order. */
  readonly pending: readonly string[];
  /** Whether a newer version has migrated the database, and this one continues to run beside it. */
  readonly isAhead: boolean;
}

/** Passed to `ManagementController.open`: opens a store, once the kinds to be stored are known. */
export interface StorageAdapter {
  /**
   * Opens the store for these kinds. Issues no DDL unless the adapter is configured to migrate on open.
   * @throws StoreSchemaMismatch if the database's schema is older or newer than `schema` needs; StoreUnavailable if the database cannot be
   * reached; StoreBusy if another process, e.g. one that migrates, held it for longer than the adapter waits
   */
  open(schema: StorageSchema): Promise<Store>;
  /** For a store that ends with the process: a secret key that ends with it too, for hosts that provide none. */
  readonly secretKey?: string;
}

/** How a kind is stored: the fields that are queried, compared or unique, beside the document itself. */
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
  /** `unique`: no two rows share a value (null is no value). `true`: often queried by value. `false`: only filtered by. */
  readonly index: 'unique' | boolean;
}

/** How all kinds are stored. */
export type StorageSchema = readonly KindSchema[];
