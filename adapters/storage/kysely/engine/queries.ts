import type { Sql } from '../sql.ts';

/** How questions are asked. */
export interface SqlQueries {
  /** True where `condition` is false or null. Default: `(<condition>) is not true`. */
  isNotTrue?(condition: Sql): Sql;
  /** Whether `text` contains `part`, which has no wildcards: a `like` must escape them. Case-sensitive and by code point; every text contains the empty one. */
  contains(text: Sql, part: string): Sql;
  /** `text` in upper case, as JavaScript's `toUpperCase` has it for every code point: `ß` becomes `SS`. */
  upperCase(text: Sql): Sql;

  /** The elements of a JSON list of values of one type, as a table `e` with the column `value`, to stand after `from`. */
  jsonElements(list: string, type: 'string' | 'number' | 'boolean'): Sql;
  /**
   * Joins each row before it with the elements of a list of texts in its document: `cross join <elements> as e`, with the column `value`. A document
   * that has no list there is joined with nothing.
   */
  jsonElementsAt(document: Sql, path: Path): Sql;
  /** A value in a document, as a value of that type; null when it is of another one, or missing. Keys may have any characters. */
  jsonValue(document: Sql, path: Path, as: JsonType): Sql;

  /** Follows a sort key so that null comes before every value, or after when descending. Empty where the database does so anyway. */
  readonly nulls: { readonly ascending: Sql; readonly descending: Sql };
  /** Cuts a page out of the rows of a query. Follows its `order by`. */
  page(page: Page): Sql;
  /** Counts the rows of `<table> as <alias> where ...` up to a number, and may stop there. Default: `select count(*)`, which counts them all. */
  countUpTo?(rows: Sql, most: number): Sql;
  /** The distinct values of `<table> as s where ...`, as `value`, ascending by code point. Default: `select distinct`. */
  distinct?(elements: Sql): Sql;

  /** Ends the `intersect` of lists that an index has in order, so that they are read side by side and not one after another. Default: nothing. */
  readonly mergeIntersect?: Sql;
  /** A text as an expression that no index answers: the planner should compare it row by row. Default: the text. */
  unindexed?(text: Sql): Sql;
  /**
   * Ends a correlated subquery so that it runs once for each row, for a planner that would turn it into a join and, without statistics, may compare two
   * long lists pair by pair. Default: the planner keeps correlated subqueries as they are.
   */
  readonly optimizationFence?: Sql;
}

/** Keys, from the outermost object inwards. */
export type Path = readonly [string, ...string[]];

/**
 * A type of JSON values. `text`, `number`, `boolean`: values of that type. `numberText`: a number as plain decimal digits, as many as JavaScript writes (`0.000001`, never `1e-6`).
 * `tagText`: a text as it is, a number like `numberText`, a boolean as `true` or `false`. `any`: every value but null, for `is null` and for sorting values whose type is not known.
 */
export type JsonType = 'text' | 'number' | 'boolean' | 'numberText' | 'tagText' | 'any';

/** Which part of the rows. */
export interface Page {
  /** Rows at most. Undefined: all that follow. */
  readonly limit: number | undefined;
  /** Rows to skip. */
  readonly offset: number;
}
