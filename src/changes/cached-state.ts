import type { Query, Row, Transaction } from '../storage/port.ts';
import type { Indexed } from './indexed-answer.ts';
import type { Extent } from './log.ts';
import type { LogEnds } from './log-ends.ts';
import type { Dependencies } from './question.ts';
import { partBy } from './table-part.ts';

/** What is kept of earlier reads, as transactions use it. */
export interface CachedState {
  /** The latest that it knows; -1 before the first. */
  readonly revision: number;
  /** Where the change log ends. */
  readonly logEnds: LogEnds<Extent>;
  /** What is kept under a key, if it is true at a revision. */
  find(key: string, revision: number): unknown;
  /** Keeps what was read at a revision until something changes on which it depends, unless later changes are known. */
  keep(key: string, value: object | string | number | boolean, revision: number, dependsOn: Dependencies): void;
  /** The same for a row, until its next version. */
  keepRow(table: string, row: Row, revision: number): void;
  /** Whether what is made of the rows of a page is worth its room: if there is plenty, or if most of these rows were asked for before, lately. */
  isWorthKeeping(ids: readonly string[]): boolean;
  /** What a role index finds, in the state that a transaction sees; undefined where the store must be asked. */
  indexed(tx: Transaction, table: string, query: Query, revision: number): Promise<Indexed | undefined>;
  /**
   * Moves on to the revision that a transaction sees.
   * @param known the latest revision when the transaction began: one that sees less is on a database that lost commits, e.g. at a fail-over
   */
  catchUp(tx: Transaction, revision: number, known: number): Promise<void>;
}

export const rowKey = (table: string, id: string): string => partBy(table, 'id', id);
