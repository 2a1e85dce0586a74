/** What a transaction stands in. */
import type { Result } from './connection.ts';
import type { Sql } from './sql.ts';

export interface Surroundings {
  /** For a transaction of the host's. */
  readonly joining?: Joining;
  /** Once aborted, no statement is run any more. */
  readonly signal?: AbortSignal | undefined;
}

export interface Joining {
  /** What comes before anything else. */
  begin(run: (statement: Sql) => Promise<Result>): Promise<void>;
}
