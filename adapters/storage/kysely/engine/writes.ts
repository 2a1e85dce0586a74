import type { Sql } from '../sql.ts';

/**
 * Writes without a common form. Each is a list of statements that run in order: a database with `returning` needs one, others more. The last statement
 * selects or returns the value that is needed.
 */
export interface SqlWrites {
  /**
   * Inserts or changes a number of a namespace; `begin` or `lockWriters` excludes other writers. With `returning`, the last statement returns the
   * new number as `value`.
   */
  upsert(change: StateChange): readonly Sql[];
  /** Inserts a document (column `document`) into a table of documents. The last statement returns its generated number as `id`. */
  insertDocument(documents: Sql, document: string): readonly Sql[];
  /**
   * For a database where a failed statement aborts the transaction: the statement `insert`, changed to insert nothing if a unique value or the primary key is
   * taken. Unique values are then also checked before every update. Default: the transaction continues after a failed statement.
   */
  insertUnlessTaken?(insert: Sql): Sql;
  /**
   * True if the parts of `with` may change tables, with `returning`, and the conflict clause of `insert` is `on conflict do nothing`, as in PostgreSQL. Then a
   * row, its document, its sets and the count of rows are written by one statement, and `upsert` is asked for one statement with a `where`. Default false: by
   * a statement each.
   */
  readonly writesAtOnce?: boolean;
}

/** A number of a namespace: a row with the columns `ns`, `name` (these are the primary key) and `value`. */
export interface StateRow {
  /** The quoted name of the table. */
  readonly table: Sql;
  readonly namespace: string;
  readonly name: string;
}

/** A change of a number of a namespace. */
export interface StateChange extends StateRow {
  /** The number to insert, add, set or compare: a value, or a subquery in parentheses. */
  readonly value: Sql;
  /** The new number of an existing row. `add`: the sum. `set`: `value`. `raise`: the larger of the two. */
  readonly existing: 'add' | 'set' | 'raise';
  /** True if the last statement returns the new number. */
  readonly returning: boolean;
  /** Where it is false, nothing is changed. Only for an engine with `writesAtOnce`. */
  readonly where?: Sql;
}
