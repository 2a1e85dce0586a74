/**
 * What the tables that roles are about hold, in memory: who carries an attribute, and which policies select it. Derived from the rows, which one scan reads in
 * the background, and kept in step from the change log, which the asking transaction reads up to the state that it sees.
 */

import type { Logger } from '../platform/platform.ts';
import type { Query, Transaction } from '../storage/port.ts';
import type { Change } from './events.ts';
import { type InBackground, IndexFollower } from './index-follower.ts';
import type { Indexed } from './indexed-answer.ts';
import { indexedTables } from './indexed-tables.ts';

/** The size of what is indexed. */
export interface RoleIndexSize {
  readonly rows: number;
  /** In memory, about. */
  readonly bytes: number;
}

/** The indexes of all tables, which follow the change log. */
export interface RoleIndexes {
  /**
   * What an index answers of a question about a table.
   * @param revision of the state that the transaction sees
   * @returns undefined where the store must be asked
   */
  find(tx: Transaction, table: string, query: Query, revision: number): Promise<Indexed | undefined>;
  /** Takes over a change that was committed, if it is the next one. */
  apply(change: Change): void;
  /** Forgets everything: the database has lost commits. */
  reset(): void;
  /** By table, those that are indexed now. */
  sizes(): Readonly<Record<string, RoleIndexSize>>;
}

/**
 * @param maxBytes of all indexes, about; 0 for none. A table that would exceed it is not indexed
 * @param logger told of such a table, once
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
