import type { Query, Transaction } from '../storage/port.ts';
import type { Indexed } from './indexed-answer.ts';
import type { Extent } from './log.ts';
import type { LogEnds } from './log-ends.ts';
import type { TablePart } from './table-part.ts';

/** What is kept of earlier reads, as transactions use it. */
export interface CachedState {
  /** The latest that it knows; -1 before the first. */
  readonly revision: number;
  /** Where the change log ends. */
  readonly logEnds: LogEnds<Extent>;
  /** Whether every write to a table draws a revision, so that what is kept of it can be judged. */
  isCached(table: string): boolean;
  /** A table whose every write draws a revision, but for those of its volatile fields; undefined for others. */
  recorded(table: string): Recorded | undefined;
  /** What is kept under a key and was already true at a revision. */
  find(key: string, revision: number): unknown;
  /** Keeps what was read at a revision and is true since another, unless later changes are known. */
  keep(key: string, value: object | string | number, revision: number, since: number): void;
  /** Whether what is made of the rows of a page is worth its room: if there is plenty, or if most of these rows were asked for before, lately. */
  isWorthKeeping(ids: readonly string[]): boolean;
  /** The revision of the last known change to a table, or to a part of it. */
  changedAt(part: TablePart): number;
  /** What a role index finds, in the state that a transaction sees; undefined where the store must be asked. */
  indexed(tx: Transaction, table: string, query: Query, revision: number): Promise<Indexed | undefined>;
  /**
   * Moves on to the revision that a transaction sees.
   * @param known the latest revision when the transaction began: one that sees less is on a database that lost commits, e.g. at a fail-over
   */
  catchUp(tx: Transaction, revision: number, known: number): Promise<void>;
}

/** What change records tell of a table. */
export interface Recorded {
  /** Fields whose writes leave none. */
  readonly volatile: readonly string[];
  /** Fields that refer to other entities, and stand in the records. */
  readonly references: readonly string[];
  /** Whether it has sealed fields. */
  readonly isSealed: boolean;
}

export const rowKey = (table: string, id: string): string => `${table} ${id}`;
