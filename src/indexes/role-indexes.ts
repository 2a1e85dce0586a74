/**
 * Indexes in memory of the tables that have roles: the entities that carry an attribute, and the policies that select it. A scan in the background builds
 * them; each query follows the change log up to its snapshot.
 */

import type { Change } from '../changelog/events.ts';
import type { Logger } from '../platform/platform.ts';
import type { Query, Transaction } from '../storage/port.ts';
import { type InBackground, IndexFollower } from './index-follower.ts';
import type { Indexed } from './indexed-answer.ts';
import { indexedTables } from './indexed-tables.ts';

/** The size of an index. */
export interface RoleIndexSize {
  readonly rows: number;
  /** Approximate size in memory. */
  readonly bytes: number;
}

/** The indexes of all tables, which follow the change log. */
export interface RoleIndexes {
  /**
   * Answers a query about a table.
   * @param revision of the snapshot of the transaction
   * @returns undefined if the store must be queried
   */
  find(tx: Transaction, table: string, query: Query, revision: number): Promise<Indexed | undefined>;
  /** Applies a committed change, if it is the next one. */
  apply(change: Change): void;
  /** Drops all indexes, after the database has lost commits. */
  reset(): void;
  /** The size of each existing index, by table. */
  sizes(): Readonly<Record<string, RoleIndexSize>>;
}

/**
 * @param maxBytes maximum approximate size of all indexes; 0 for none. A table that would exceed it is not indexed, which is logged once
 */
export const createRoleIndexes = (inBackground: InBackground, maxBytes: number, logger: Logger): RoleIndexes => {
  const bytes = (): number => [...followers.values()].reduce((sum, { index }) => sum + (index?.bytes ?? 0), 0);
  const apply = (change: Change) => {
    for (const follower of followers.values()) follower.apply(change);
  };
  const tooLarge = (table: string, column = 'role attributes') =>
    logger.warn(`setting roleIndexBytes: there is no room for the ${column} of ${table}; the database answers what is asked of them`);
  const around = { inBackground, apply, tooLarge, room: () => maxBytes - bytes() };
  const indexed = maxBytes === 0 ? [] : [...indexedTables];
  const followers: ReadonlyMap<string, IndexFollower> = new Map(
    indexed.map(([table, fields]) => [table, new IndexFollower(table, fields, around)]),
  );
  return {
    find: async (tx, table, query, revision) => followers.get(table)?.find(tx, query, revision),
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
