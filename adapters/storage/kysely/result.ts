/** The result of a statement. */
export interface Result {
  /** The rows that it selected or returned. */
  readonly rows: readonly ResultRow[];
  /** The number of rows that it inserted, deleted, or matched for an update. */
  readonly written: number;
}

/** A row of a result, by column names. */
export type ResultRow = Readonly<Record<string, unknown>>;
