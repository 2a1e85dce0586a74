import type { ColumnSchema } from '../../../../src/adapter-kit.ts';
import type { Sql } from '../sql.ts';

/** How tables and indexes are made, and what the database must bring along. */
export interface SqlTables {
  /** The types of columns. */
  readonly types: ColumnTypes;
  /** What follows the columns of a table that is only read by its primary key or its indexes, e.g. ` without rowid`. Default: nothing. */
  readonly tableOptions?: string;
  /** The current time as text, for the default of a column. */
  readonly currentTime: Sql;
  /**
   * More columns of a table of documents, and the column that is asked for fields: for a database that keeps JSON in a form of its own beside the text.
   * Default: the document itself is asked.
   */
  readonly documents?: { readonly columns: string; readonly asked: Sql };
  /** Follows the definition of a unique index so that rows with null in `column` do not take each other's place: ` where column is not null`. Default: nothing. */
  uniqueUnlessNull?(column: Sql): Sql;
  /** Drops an index. Both names are quoted. Default: `drop index <index>`. */
  dropIndex?(index: Sql, table: Sql): Sql;
  /** Counts the tables of this name in the schema where unqualified names belong, as `value`. */
  tableCount(table: string): Sql;

  /** What our SQL needs of a database or connection besides its tables. Checked when a store is opened. */
  readonly requirements: readonly Requirement[];
  /**
   * Statistics for the planner, for a database that estimates badly until it has counted: migrations write them, and `open` restores them when they are lost.
   * Default: none.
   */
  readonly statistics?: Statistics;
}

/**
 * Types of columns. All text must compare and sort by code point, case-sensitively, without regard to trailing spaces or to Unicode normalisation.
 *
 * | type | of |
 * |---|---|
 * | `key` | text in a primary key or an index: ids, namespaces, elements of sets, indexed fields. A longer text fails as `tooLong` |
 * | `string` | text of any length that is in no index |
 * | `date` | text of 24 characters that may be in an index |
 * | `number` | IEEE 754 double precision |
 * | `boolean` | true and false, or 1 and 0 |
 * | `integer` | whole numbers up to 2^53 |
 * | `document` | JSON as the text that was written, of any length |
 * | `documentKey` | the number of a document: a primary key that the database assigns |
 * | `reference` | a column that holds such a number |
 */
export type ColumnTypes = Readonly<Record<ColumnSchema['type'] | 'key' | 'integer' | 'document' | 'documentKey' | 'reference', string>>;

/** Something that must be there, e.g. an encoding or a function. */
export interface Requirement {
  /** Selects a `value` other than 0 when it is met. Without `create` it may also fail when it is not. */
  readonly probe: Sql;
  /** What to do when it is not met: the message of the error. */
  readonly advice: string;
  /** Meets it, where SQL can. Runs in the transaction of a migration. */
  create?(): Sql;
}

/** The table where a database keeps the statistics of its planner. */
export interface Statistics {
  /** Its name. `load` makes it. */
  readonly table: string;
  /** Inserts how many rows to expect in an index (null: in the table), and for each value of its first column, of its first two, and so on. */
  of(table: string, index: string | null, rows: readonly number[]): Sql;
  /** Selects all that it holds, as `table_name`, `index_name` and `rows`. */
  readonly all: Sql;
  /** Deletes what it holds about a table. */
  forget(table: string): Sql;
  /** Makes the planner read it. */
  readonly load: Sql;
}
