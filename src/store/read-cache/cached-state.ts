import type { LogEnds } from '../changelog/log-ends.ts';
import type { NumberedRows } from '../indexes/index-follower.ts';
import type { Indexed } from '../indexes/indexed-answer.ts';
import type { Query, Read, Row, Transaction, TransactionMode } from '../storage/port.ts';
import type { Dependencies } from './cacheable-query.ts';

/** The entries of the cache. */
export interface EntryCache {
  /** The revision up to which the cache has followed the change log; -1 initially. */
  readonly revision: number;
  /** The value of a key, if it is valid at a revision. */
  find(key: string, revision: number): unknown;
  /**
   * Caches a value that was read at a revision, until a dependency changes. Does nothing if the cache has already followed later changes.
   */
  put(key: string, value: object | string | number | boolean, revision: number, dependsOn: Dependencies): void;
  /** Caches a row until its next change. */
  putRow(table: string, row: Row, revision: number): void;
  /**
   * True if values derived from the rows of a page should be cached: there is ample memory, or most of these rows were requested recently.
   */
  isWorthCaching(ids: readonly string[]): boolean;
}

/** The interface of the cache to transactions. */
export interface CachedState {
  readonly entries: EntryCache;
  /** The end of the change log, for the next append. */
  readonly logEnds: LogEnds;
  /** The answer of an index to a query in the snapshot of a transaction; undefined if the store must be queried. */
  findIndexed(tx: Transaction, table: string, query: Query, revision: number): Promise<Indexed | undefined>;
  /** See `RoleIndexes.rowsAt`. */
  numberedRows(table: string, revision: number): NumberedRows | undefined;
  /** See `IncompleteRows.completions`. */
  readonly completions: number;
  /**
   * @param completions the value of `completions` before the snapshot, plus the result of `catchUp`
   * @throws RowIncomplete unless every row in a snapshot with this revision is complete; GrantHasEnded unless every grant in it is still
   * valid
   */
  assertValid(revision: number, completions: number, mode: TransactionMode): void;
  /**
   * Follows the change log up to the snapshot of a transaction.
   * @param initialRevision the revision of the cache when the transaction began. A lower `revision` means that the database has lost
   * commits, e.g. in a failover
   * @returns the number by which this call has increased `completions`; undefined for 0
   */
  catchUp(tx: Transaction, revision: number, initialRevision: number): Promise<number | undefined>;
}

/** The slot of an answer in the cache. */
export interface CacheSlot {
  /** The cached answer; undefined on a miss. */
  readonly value: unknown;
  /** Caches the answer, or only the answer to `missing` if that is set. */
  store(answer: number | readonly unknown[]): void;
  /** On a partial hit: the cached part of the answer. */
  readonly cached?: readonly string[];
  /** On a partial hit: the read that returns the missing part. */
  readonly missing?: Read;
}
