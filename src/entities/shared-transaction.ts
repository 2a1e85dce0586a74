import type { OverriddenTests } from '../api/changes.ts';
import type { Change } from '../changelog/events.ts';
import { type AppendChange, changeLog, type LogLimits } from '../changelog/log.ts';
import { type GrowingUndo, growingUndo, type Undo } from '../history/undo.ts';
import type { CachedTransaction } from '../read-cache/cached-transaction.ts';
import { GrantHasEnded } from '../read-cache/earliest-ends.ts';
import type { Transaction } from '../storage/port.ts';
import { networkKeyIn } from './sealed.ts';

/** What all parts of the work in one transaction share: how they read and write, and the end of the change log. */
export interface SharedTransaction {
  readonly tx: Transaction;
  /** The same as `tx`, if it reads through the cache. */
  readonly cache: CachedTransaction | undefined;
  /** The same transaction without the cache, for past states. @throws GrantHasEnded in a view without ended grants: it is not what the records lead to */
  readonly uncached: Transaction;
  readonly append: AppendChange;
  /** All changes so far, also those of work that has joined; undefined before the first work in the transaction. */
  allChanges: Change[] | undefined;
  /** Adds a change to them. */
  readonly keep: (change: Change) => void;
  /** See `Entities.holdRecords`. */
  holdRecords(): (overridden: OverriddenTests | undefined) => Promise<void>;
  /** What the writes so far have changed. */
  readonly written: Undo;
  /** Notes what a row was before a write. */
  readonly note: GrowingUndo['note'];
  /** The name of the key under which the network seals secrets. */
  networkKey(): Promise<string | undefined>;
}

/**
 * @param limits those of the change log, whether what is appended is rolled back: then it must not be remembered beyond the transaction, and whether the
 * writes are not even remembered until its end
 */
export const sharedTransaction = (
  uncached: Transaction,
  cache: CachedTransaction | undefined,
  limits: LogLimits & { readonly isRehearsal?: boolean; readonly forgetsWrites?: boolean },
): SharedTransaction => {
  const tx: Transaction = cache ?? uncached;
  let append: AppendChange | undefined;
  const appendNow: AppendChange = (change, provenance) => {
    append ??= changeLog(tx, limits, limits.isRehearsal ? undefined : cache?.logEnds);
    return append(change, provenance);
  };
  let written: GrowingUndo | undefined;
  // Reading it once is enough: no other transaction replaces the key while this one writes, and a transaction that replaces it writes the key check first.
  let keyName: Promise<string | undefined> | undefined;
  const shared: SharedTransaction = {
    tx,
    get uncached() {
      if (cache && uncached.isView) throw new GrantHasEnded();
      return uncached;
    },
    cache,
    allChanges: undefined,
    keep: (change) => void shared.allChanges?.push(change),
    ...holdable(appendNow),
    get written() {
      if (limits.forgetsWrites) throw new TypeError('a transaction that forgets its writes knows no state before them');
      return (written ??= growingUndo());
    },
    note: (table, id, before) => {
      if (!limits.forgetsWrites) (written ??= growingUndo()).note(table, id, before);
    },
    networkKey: () => (keyName ??= networkKeyIn(tx)),
  };
  return shared;
};

/** Appends change records, or keeps them back for a while. */
const holdable = (appendNow: AppendChange): Pick<SharedTransaction, 'append' | 'holdRecords'> => {
  let held: Parameters<AppendChange>[] | undefined;
  return {
    append: (change, provenance) => {
      if (!held) return appendNow(change, provenance);
      held.push([change, provenance]);
      return Promise.resolve();
    },
    holdRecords: () => {
      const records = (held = []) as Parameters<AppendChange>[]; // TypeScript infers never[]
      return async (overriddenTests) => {
        held = undefined;
        for (const [change, provenance] of records) {
          // The events of the transaction are these objects, too.
          if (overriddenTests) Object.assign(change, { overriddenTests });
          await appendNow(change, provenance);
        }
      };
    },
  };
};

/** The same transaction, for work that joins it: with its own changes and the state before these, which the outer work has among its own. */
export const joinedTransaction = (outer: SharedTransaction): SharedTransaction => {
  const written = growingUndo();
  const { tx, uncached, cache, networkKey } = outer;
  const joined: SharedTransaction = {
    ...{ tx, uncached, cache, networkKey, written },
    ...holdable(outer.append),
    allChanges: undefined,
    keep: (change) => {
      joined.allChanges?.push(change);
      outer.keep(change);
    },
    note: (table, id, before) => {
      written.note(table, id, before);
      outer.note(table, id, before);
    },
  };
  return joined;
};
