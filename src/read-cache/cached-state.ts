import type { Extent } from '../changelog/log.ts';
import type { LogEnds } from '../changelog/log-ends.ts';
import type { Indexed } from '../indexes/indexed-answer.ts';
import type { Query, Read, Row, Transaction } from '../storage/port.ts';
import type { Dependencies } from './question.ts';

/** The cache, as transactions use it. */
export interface CachedState {
  /** The latest revision that it has followed the change log to; -1 before the first. */
  readonly revision: number;
  /** Where the change log ends. */
  readonly logEnds: LogEnds<Extent>;
  /** The entry of a key that is valid at a revision. */
  find(key: string, revision: number): unknown;
  /** Caches a value that was read at a revision until a dependency changes. Does nothing if later changes are known. */
  put(key: string, value: object | string | number | boolean, revision: number, dependsOn: Dependencies): void;
  /** Caches a row until its next version. */
  putRow(table: string, row: Row, revision: number): void;
  /** True if the values derived from the rows of a page are worth their memory: there is plenty, or most of these rows were asked for recently. */
  isWorthCaching(ids: readonly string[]): boolean;
  /** The rows that an index finds in the snapshot of a transaction; undefined if the store must be asked. */
  indexed(tx: Transaction, table: string, query: Query, revision: number): Promise<Indexed | undefined>;
  /**
   * Follows the change log up to the snapshot of a transaction.
   * @param known the latest revision when the transaction began: a lower `revision` means that the database lost commits, as a fail-over may
   */
  catchUp(tx: Transaction, revision: number, known: number): Promise<void>;
}

/** The place of an answer in the cache: the answer, if it is there, and the way to put it there. */
export interface CacheSlot {
  /** Undefined on a miss. */
  readonly value: unknown;
  /** Caches an answer; the answer to `rest`, if there is one. */
  store(cached: number | readonly unknown[]): void;
  /** The part of the answer that is cached. */
  readonly known?: readonly string[];
  /** The question about the other part. */
  readonly rest?: Read;
}
