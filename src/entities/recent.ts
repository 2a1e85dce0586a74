import { change as changeKind } from '../api/changes.ts';
import type { KindName } from '../api/kind-names.ts';
import type { Change } from '../changelog/events.ts';
import { changeOf, endOfLog, recordsFrom } from '../changelog/log.ts';
import type { Entities } from './entities.ts';

const BATCH = 500;
/** Batches that are read to catch up. A longer gap discards the changes in memory. */
const MOST_BATCHES = 5;
/** Changes in memory at most. With more, the older half is discarded. */
const KEPT = 1000;

export interface Recent {
  /** The time up to which changes are unknown, ISO text. */
  readonly since: string;
  /** The revision of the last unknown change. */
  readonly sinceRevision: number;
  /** The changes after it, oldest first. */
  readonly changes: readonly Change[];
  /** The revision up to which the log was read. */
  readonly revision: number;
  /** True if the snapshot of the caller includes all of this: another transaction may have read further. */
  readonly isSeen: boolean;
}

/** The recent changes of some kinds in memory. Each is read from the change log once, those of other controllers too. */
export interface RecentChanges {
  /** Reads the log further, in a transaction without uncommitted writes. */
  catchUp(entities: Entities): Promise<Recent>;
  /** The changes that were read before. */
  known(): Recent;
}

export const createRecentChanges = (kinds: readonly KindName[], startedAt: string): RecentChanges => {
  const wanted: ReadonlySet<string> = new Set(kinds);
  let revision = -1;
  let since = startedAt;
  let sinceRevision = 0;
  let changes: Change[] = [];
  const known = (isSeen = false): Recent => ({ since, sinceRevision, changes, revision, isSeen });

  const reset = async (entities: Entities): Promise<Recent> => {
    const [newest] = await entities.list(changeKind, endOfLog('newest'));
    // Another transaction may have read further.
    if ((newest?.revision ?? 0) < revision) return known();
    changes = [];
    revision = sinceRevision = newest?.revision ?? 0;
    since = newest && newest.createdAt > since ? newest.createdAt : since;
    return known(true);
  };
  const take = (change: Change) => {
    // Two transactions may have read the same records.
    if (change.revision <= revision) return;
    revision = change.revision;
    if (wanted.has(change.entity)) changes.push(change);
    if (changes.length <= KEPT) return;
    const dropped = changes.splice(0, KEPT / 2);
    since = dropped.at(-1)?.at ?? since;
    sinceRevision = dropped.at(-1)?.revision ?? sinceRevision;
  };
  return {
    known,
    catchUp: async (entities) => {
      if (revision < 0) return reset(entities);
      // Usually nothing has changed: the revision is the same.
      if ((await entities.revision()) === revision) return known(true);
      for (let batch = 0; batch < MOST_BATCHES; batch++) {
        // Reads the last known record again: an earlier snapshot lacks it, and if it was dropped, later ones may be missing.
        const from = revision;
        const rows = await entities.list(changeKind, recordsFrom(from, BATCH));
        const [oldest] = rows;
        // The first of all has the revision 1.
        if ((oldest?.revision ?? 0) > Math.max(from, 1)) return reset(entities);
        for (const row of rows) take(changeOf(row));
        if (rows.length < BATCH) return known((rows.at(-1)?.revision ?? 0) >= revision);
      }
      return reset(entities);
    },
  };
};
