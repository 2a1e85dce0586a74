/** The result of a statement. */
export interface Result {
  /** The rows that the statement selected or returned. */
  readonly rows: readonly ResultRow[];
  /** The number of rows that the statement inserted, deleted, or matched for an update. */
  readonly written: number;
}

/** A row of a result, by column name. */
export type ResultRow = Readonly<Record<string, unknown>>;
