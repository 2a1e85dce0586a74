import type { Sql } from '../sql.ts';

/**
 * Writes whose SQL differs between databases. Each is a list of statements that run in order: one for a database with `returning`, more for
 * others. The last statement selects or returns the result.
 */
export interface SqlWrites {
  /**
   * Inserts or changes a number in a namespace; `begin` or `lockWriters` excludes other writers. With `returning`, the last statement
   * returns the new number as `value`.
   */
  upsert(change: StateChange): readonly Sql[];
  /** Inserts a document (column `document`) into a table of documents. The last statement returns its generated number as `id`. */
  insertDocument(documents: Sql, document: string): readonly Sql[];
  /**
   * For a database where a failed statement aborts the transaction. Returns `insert`, modified to insert nothing if a unique value or the
   * primary key is taken. Unique values are then also checked before every update. Without this method, the transaction must continue after
   * a failed statement.
   */
  insertUnlessTaken?(insert: Sql): Sql;
  /**
   * True if common table expressions (`with`) may modify tables and return rows, and `insert` supports `on conflict do nothing`, as in
   * PostgreSQL. If true, one statement writes a row, its document, its sets and the row count, and `upsert` must return a single statement
   * that applies `where`. Default false: they are written by separate statements.
   */
  readonly writesAtOnce?: boolean;
}

/** A number in a namespace: a row with the columns `ns` and `name`, which form the primary key, and `value`. */
export interface StateRow {
  /** The quoted name of the table. */
  readonly table: Sql;
  readonly namespace: string;
  readonly name: string;
}

/** A change to a number in a namespace. */
export interface StateChange extends StateRow {
  /** The number to insert, add, set or compare: a value, or a subquery in parentheses. */
  readonly value: Sql;
  /** The new number of an existing row. `add`: the sum. `set`: `value`. `raise`: the larger of the two. */
  readonly existing: 'add' | 'set' | 'raise';
  /** True if the last statement returns the new number. */
  readonly returning: boolean;
  /** A condition: if false, nothing changes. Only for an engine with `writesAtOnce`. */
  readonly where?: Sql;
}
