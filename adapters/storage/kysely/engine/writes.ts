import type { Sql } from '../sql.ts';

/**
 * Writes that have no common form. Each is a list of statements that run one after another: a database with `returning` needs one, others more.
 * Where a value is wanted, the last statement selects or returns it.
 */
export interface SqlWrites {
  /**
   * Changes a number of a namespace. Must be atomic against other writers of the namespace, who are excluded by `begin` or `lockWriters`.
   * With `returning`, the last statement gives the new number as `value`.
   */
  upsert(change: StateChange): readonly Sql[];
  /** Inserts a document (column `document`) into a table of documents. The last statement gives the number that it was assigned, as `id`. */
  insertDocument(documents: Sql, document: string): readonly Sql[];
  /**
   * For a database where a failing statement ends its transaction: the statement `insert`, changed so that it inserts nothing when a unique value or the primary key is
   * taken. Unique values are then looked up before every update. Default: a transaction goes on after a statement that failed.
   */
  insertUnlessTaken?(insert: Sql): Sql;
}

/** A number of a namespace: a row with the columns `ns`, `name` (these are the primary key) and `value`. */
export interface StateRow {
  /** The quoted name of the table. */
  readonly table: Sql;
  readonly namespace: string;
  readonly name: string;
}

export interface StateChange extends StateRow {
  /** A number, or a subquery in parentheses. A row that does not exist is inserted with it. */
  readonly value: Sql;
  /** What becomes of the number of a row that exists. `add`: the sum of both. `set`: `value`. `raise`: the larger of both. */
  readonly existing: 'add' | 'set' | 'raise';
  /** Whether the last statement gives the new number. */
  readonly returning: boolean;
}
