import type { Sql } from '../sql.ts';

/** Query fragments whose SQL differs between databases. */
export interface SqlQueries {
  /** True if `condition` is false or null. Default: `(<condition>) is not true`. */
  isNotTrue?(condition: Sql): Sql;
  /**
   * A condition: `text` contains `part`, taken literally (escape wildcards for `like`), case-sensitively by code point. Every text contains
   * the empty text.
   */
  contains(text: Sql, part: string): Sql;
  /** Converts `text` to upper case like JavaScript's `toUpperCase`: `ß` becomes `SS`. */
  upperCase(text: Sql): Sql;

  /** The elements of a JSON array of values of one type, as a table `e` with the column `value`. Follows `from`. */
  jsonElements(list: string, type: 'string' | 'number' | 'boolean'): Sql;
  /**
   * Joins each row with the texts in an array of its document: `cross join <elements> as e`, with the column `value`. Elements that are not
   * text are omitted, as are rows whose documents have no array at `path`.
   */
  jsonElementsAt(document: Sql, path: Path): Sql;
  /**
   * The value at `path` in a document, converted to type `as`; null if it is missing or of another type. Keys may contain any characters.
   */
  jsonValue(document: Sql, path: Path, as: JsonType): Sql;

  /** Follows a sort key, so that null sorts first when ascending and last when descending. Empty if this is the default of the database. */
  readonly nulls: { readonly ascending: Sql; readonly descending: Sql };
  /** The limit and offset of a query. Follows `order by`. */
  page(page: Page): Sql;
  /** Selects the number of rows of `<table> as <alias> where ...`; may stop counting at `max`. Default: `select count(*)`. */
  countUpTo?(rows: Sql, max: number): Sql;
  /** The distinct values of `<table> as s where ...`, as `value`, ascending by code point. Default: `select distinct`. */
  distinct?(elements: Sql): Sql;

  /** Follows an `intersect` of lists that are sorted by an index, so that they are merged. Default: nothing. */
  readonly mergeIntersect?: Sql;
  /** Wraps a text column in an expression that keeps the planner from using an index. Default: the column itself. */
  unindexed?(text: Sql): Sql;
  /**
   * Follows a correlated subquery, so that it is evaluated once per row: for a planner that would turn it into a join, which without
   * statistics may compare two long lists pair by pair. Default: nothing.
   */
  readonly optimizationFence?: Sql;
  /**
   * True if statements run on the thread of the controller. Statements that would read all documents of a table are then divided. Default:
   * false.
   */
  readonly runsInProcess?: boolean;
}

/** Keys, from the outermost object inwards. */
export type Path = readonly [string, ...string[]];

/**
 * The type of a JSON value in SQL. `text`, `number`, `boolean`: values of that type. `numberText`: a number as plain decimal digits, with
 * JavaScript's precision (`0.0000001`, not `1e-7`). `tagText`: a text unchanged, a number as `numberText`, a boolean as `true` or `false`.
 * `any`: any value but null, to test for null and to sort values of unknown type.
 */
export type JsonType = 'text' | 'number' | 'boolean' | 'numberText' | 'tagText' | 'any';

/** A part of the rows of a query. */
export interface Page {
  /** The maximum number of rows; undefined for no maximum. */
  readonly limit: number | undefined;
  /** The number of rows to skip. */
  readonly offset: number;
}
