import type { ColumnSchema } from '../../../../src/adapter-kit.ts';
import type { Sql } from '../sql.ts';

/** Tables, indexes, and requirements for the database. */
export interface SqlTables {
  /** Column types. */
  readonly types: ColumnTypes;
  /** Follows the column list of a table that is read only through its primary key or its indexes, e.g. ` without rowid`. Default: none. */
  readonly tableOptions?: string;
  /** An expression for the current time as text, used as a column default. */
  readonly currentTime: Sql;
  /**
   * A second representation of the JSON text, for databases with a native JSON type: additional columns of the table of documents, and the
   * column that queries read. Default: queries read the text.
   */
  readonly documents?: { readonly columns: string; readonly queried: Sql };
  /** Follows the definition of a unique index, for databases where nulls are equal: ` where column is not null`. Default: nothing. */
  uniqueUnlessNull?(column: Sql): Sql;
  /** Drops an index. Both names are quoted. Default: `drop index <index>`. */
  dropIndex?(index: Sql, table: Sql): Sql;
  /** Counts the tables with this name in the engine's schema, as `value`. */
  tableCount(table: string): Sql;

  /** Further requirements of the database or the connection, checked when a store is opened. */
  readonly requirements: readonly Requirement[];
  /**
   * Statistics for a planner whose estimates are poor without them. Migrations write them, and `open` restores them if they are lost.
   * Default: none.
   */
  readonly statistics?: Statistics;
}

/**
 * Column types. Text must compare and sort by code point: case, accents, trailing spaces and normalization forms are significant.
 *
 * | type | content |
 * |---|---|
 * | `key` | text in a primary key or an index: ids, namespaces, elements of sets, indexed fields; longer text fails with `tooLong` |
 * | `string` | text of any length without an index |
 * | `date` | text of 24 characters, possibly indexed |
 * | `number` | IEEE 754 double precision |
 * | `boolean` | true and false, or 1 and 0 |
 * | `integer` | integers up to 2^53 |
 * | `document` | JSON text of any length, unchanged |
 * | `documentKey` | the number of a document: a primary key that the database generates |
 * | `reference` | a `documentKey` of another table |
 */
export type ColumnTypes = Readonly<Record<ColumnSchema['type'] | 'key' | 'integer' | 'document' | 'documentKey' | 'reference', string>>;

/** A requirement, e.g. an encoding or a function. */
export interface Requirement {
  /** Selects a `value` other than 0 if the requirement is met. If it is not met, the statement may fail, unless `create` exists. */
  readonly probe: Sql;
  /** The error message if the requirement is not met, including how to meet it. */
  readonly advice: string;
  /**
   * Returns a statement that makes the database meet the requirement, for requirements where that is possible. It runs in the transaction
   * of a migration.
   */
  create?(): Sql;
}

/** The table in which the planner's statistics are stored. */
export interface Statistics {
  /** The name of the table. `load` creates it. */
  readonly table: string;
  /**
   * Inserts the expected number of rows in an index (null: in the table), then per value of its first column, of its first two, and so on.
   */
  of(table: string, index: string | null, rows: readonly number[]): Sql;
  /** Selects the content of the table as `table_name`, `index_name` and `rows`. */
  readonly all: Sql;
  /** Deletes the statistics of `table`. */
  forget(table: string): Sql;
  /** Makes the planner load the statistics. */
  readonly load: Sql;
}
