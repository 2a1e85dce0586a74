import type { Value } from '../sql.ts';

/** How names and values are written. */
export interface SqlSyntax {
  /**
   * A name of a table, column or index as an identifier, in quotes: fields may be called `order` or `group`. Quotes in the name must be escaped.
   * Called when a store is opened or migrated.
   */
  quote(name: string): string;
  /** The placeholder of the parameter at `index`, which counts from 1: `$1`, `@p1`. Default: `?`. */
  placeholder?(index: number): string;
  /** A parameter as the driver takes it, e.g. 1 and 0 for a database without booleans. */
  parameter(value: Value): unknown;
  /**
   * How many parameters a statement may have. Lists of values travel as one parameter, in JSON, but a filter of hundreds of terms has hundreds of
   * parameters. Those above the limit are written as literals.
   */
  readonly maxParameters: number;
  /**
   * A value as a literal. Called for migrations, for the statements that begin a transaction, and above `maxParameters`: with text of any content, from
   * anybody. The literal of every text must be exactly one literal, whatever quotes and escapes the text has. The security of the database depends on it.
   */
  literal(value: Value): string;
}
