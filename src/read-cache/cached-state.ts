import type { LogEnd } from '../changelog/log.ts';
import type { LogEnds } from '../changelog/log-ends.ts';
import type { Indexed } from '../indexes/indexed-answer.ts';
import type { Query, Read, Row, Transaction, TransactionMode } from '../storage/port.ts';
import type { Dependencies } from './question.ts';

/** The interface of the cache to transactions. */
export interface CachedState {
  /** The revision up to which the cache has followed the change log; -1 initially. */
  readonly revision: number;
  /** The end of the change log, for the next append. */
  readonly logEnds: LogEnds<LogEnd>;
  /** The value of a key, if it is valid at a revision. */
  find(key: string, revision: number): unknown;
  /** Caches a value that was read at a revision, until a dependency changes. Does nothing if the cache has already followed later changes. */
  put(key: string, value: object | string | number | boolean, revision: number, dependsOn: Dependencies): void;
  /** Caches a row until its next change. */
  putRow(table: string, row: Row, revision: number): void;
  /** True if values derived from the rows of a page should be cached: there is ample memory, or most of these rows were requested recently. */
  isWorthCaching(ids: readonly string[]): boolean;
  /** The answer of an index to a query in the snapshot of a transaction; undefined if the store must be queried. */
  indexed(tx: Transaction, table: string, query: Query, revision: number): Promise<Indexed | undefined>;
  /** See `IncompleteRows.completions`. */
  readonly completions: number;
  /**
   * @param completions what `completions` was before the snapshot, with what `catchUp` has added
   * @throws RowIncomplete unless every row in a snapshot with this revision is complete; GrantHasEnded unless every grant in it is still valid
   */
  assertValid(revision: number, completions: number, mode: TransactionMode): void;
  /**
   * Follows the change log up to the snapshot of a transaction.
   * @param known the revision of the cache when the transaction began. A lower `revision` means that the database has lost commits, e.g. in a failover
   * @returns by how much `completions` has grown because of what this transaction has read; undefined if it has not
   */
  catchUp(tx: Transaction, revision: number, known: number): Promise<number | undefined>;
}

/** The place of an answer in the cache, which holds the answer or is ready to store it. */
export interface CacheSlot {
  /** Undefined on a miss. */
  readonly value: unknown;
  /** Caches the answer, or only the answer to `rest` if that is set. */
  store(cached: number | readonly unknown[]): void;
  /** The part of the answer that is cached. */
  readonly known?: readonly string[];
  /** The read that yields the other part. */
  readonly rest?: Read;
}
