/** What a statement gave. */
export interface Result {
  /** The rows that it selected or returned, by the names that the statement gives its columns. */
  readonly rows: readonly ResultRow[];
  /** How many rows it inserted, matched for an update, or deleted. */
  readonly written: number;
}

export type ResultRow = Readonly<Record<string, unknown>>;
