import type { Value } from '../sql.ts';

/** The syntax of names and values. */
export interface SqlSyntax {
  /**
   * A name of a table, column or index as a quoted identifier, because fields may be called `order` or `group`. Quotes in the name must be
   * escaped. Called when a store is opened or migrated.
   */
  quote(name: string): string;
  /** The schema that all tables are in. Default: the current schema of the connection. */
  readonly schema?: string;
  /** The placeholder of the parameter at `index`, which counts from 1: `$1`, `@p1`. Default: `?`. */
  placeholder?(index: number): string;
  /** Converts a parameter to a value that the driver accepts, e.g. 1 and 0 for a database without booleans. */
  parameter(value: Value): unknown;
  /**
   * The maximum number of parameters of a statement. Lists of values are one parameter, as JSON, but a filter of hundreds of terms has
   * hundreds of parameters. Values beyond the maximum become literals.
   */
  readonly maxParameters: number;
  /**
   * A value as a literal. Called for migrations, for statements that begin a transaction, and for values beyond `maxParameters`. The text
   * may come from an attacker: the result must be exactly one literal, even if the text contains quotes and escapes.
   */
  literal(value: Value): string;
}
