/**
 * In-memory indexes of the tables that have roles: they find the entities with an attribute, and the policies that select it. A background
 * scan builds them; before each query, they catch up with the change log to the snapshot of the transaction.
 */

import type { Change } from '../../contract/changes/events.ts';
import type { Logger } from '../../runtime/platform/platform.ts';
import type { Query, Transaction } from '../storage/port.ts';
import { type InBackground, IndexFollower, type NumberedRows } from './index-follower.ts';
import type { Indexed } from './indexed-answer.ts';
import { indexedTables } from './indexed-tables.ts';

/** The size of an index. */
export interface RoleIndexSize {
  readonly rows: number;
  /** Approximate size in memory. */
  readonly bytes: number;
}

/** The indexes of all tables. */
export interface RoleIndexes {
  /**
   * Answers a query on a table.
   * @param revision the revision of the transaction's snapshot
   * @returns undefined if the store must be queried
   */
  find(tx: Transaction, table: string, query: Query, revision: number): Promise<Indexed | undefined>;
  /**
   * The rows of a table at a revision, as sets of numbers. Reads nothing.
   * @returns undefined if there is no index, or if it is at another revision
   */
  rowsAt(table: string, revision: number): NumberedRows | undefined;
  /**
   * Builds all indexes, one after another, before they are queried. Never rejects.
   * @param report called with the number of rows that are indexed
   */
  warmUp(report: (rows: number) => void): Promise<void>;
  /** Applies a committed change if it is the next one in order. */
  apply(change: Change): void;
  /** Drops all indexes. Call this after the database has lost commits. */
  reset(): void;
  /** The size of each existing index, by table. */
  sizes(): Readonly<Record<string, RoleIndexSize>>;
}

/**
 * @param maxBytes maximum approximate size of all indexes together; 0 disables them. A table that would exceed it is not indexed, and a
 * warning is logged once
 */
export const createRoleIndexes = (inBackground: InBackground, maxBytes: number, logger: Logger): RoleIndexes => {
  const bytes = (): number => [...followers.values()].reduce((sum, { index }) => sum + (index?.bytes ?? 0), 0);
  const apply = (change: Change) => {
    for (const follower of followers.values()) follower.apply(change);
  };
  const tooLarge = (table: string, column = 'role attributes') =>
    logger.warn(`setting roleIndexBytes: too little memory for the ${column} of ${table}; the database answers their queries`);
  const shared = { inBackground, apply, tooLarge, availableBytes: () => maxBytes - bytes() };
  const indexed = maxBytes === 0 ? [] : [...indexedTables];
  const followers: ReadonlyMap<string, IndexFollower> = new Map(
    indexed.map(([table, fields]) => [table, new IndexFollower(table, fields, shared)]),
  );
  return {
    find: async (tx, table, query, revision) => followers.get(table)?.find(tx, query, revision),
    rowsAt: (table, revision) => followers.get(table)?.rowsAt(revision),
    warmUp: async (report) => {
      let indexedBefore = 0;
      for (const follower of followers.values()) {
        await follower.warmUp((rows) => report(indexedBefore + rows));
        indexedBefore += follower.index?.size ?? 0;
      }
    },
    apply,
    reset: () => {
      for (const follower of followers.values()) follower.drop();
    },
    sizes: () =>
      Object.fromEntries(
        [...followers].flatMap(([table, { index }]) => (index ? [[table, { rows: index.size, bytes: index.bytes }] as const] : [])),
      ),
  };
};
