import { change as changeKind } from '../api/changes.ts';
import type { KindName } from '../api/kind-names.ts';
import type { Change } from '../changelog/events.ts';
import { endOfLog, followLog } from '../changelog/follow.ts';
import { recordsIn } from './change-records.ts';
import type { Entities } from './entities.ts';

const BATCH = 500;
/** Maximum number of batches that are read to catch up. A longer gap discards the changes in memory. */
const MAX_BATCHES = 5;
/** Maximum number of changes in memory. With more, the older half is discarded. */
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
      // Usually nothing has changed. An earlier snapshot lacks changes that another transaction has read.
      const snapshot = await entities.revision();
      if (snapshot <= revision) return known(snapshot === revision);
      for await (const { changes: page, missingUpTo } of followLog(recordsIn(entities), revision, { batch: BATCH, pages: MAX_BATCHES })) {
        if (missingUpTo !== undefined) break;
        for (const change of page) take(change);
      }
      return revision < snapshot ? reset(entities) : known(revision === snapshot);
    },
  };
};
