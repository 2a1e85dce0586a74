import { change as changeKind } from '../../contract/api/changes.ts';
import type { KindName } from '../../contract/api/kind-names.ts';
import type { Change } from '../../contract/changes/events.ts';
import { followLog } from '../changelog/follow.ts';
import { endOfLog } from '../changelog/queries.ts';
import { recordsIn } from './change-records.ts';
import type { Entities } from './entities.ts';

/** Number of changes that are read at a time. */
const BATCH = 500;
/** Maximum number of batches that are read to catch up. If the log is further ahead, the changes in memory are discarded. */
const MAX_BATCHES = 5;
/** Maximum number of changes in memory. When exceeded, the older half is discarded. */
const MAX_CHANGES = 1000;

/** A snapshot of the recent changes. */
export interface Recent {
  /** The time of the last change that is no longer in memory, as ISO text. */
  readonly since: string;
  /** The revision of the last change that is no longer in memory. */
  readonly sinceRevision: number;
  /** The changes after that revision, oldest first. */
  readonly changes: readonly Change[];
  /** The revision up to which the log was read. */
  readonly revision: number;
  /** True if the snapshot of the caller's transaction is that of `revision`. False if another transaction has read a later state. */
  readonly isCurrent: boolean;
}

/** The recent changes of some kinds, by all controllers, in memory. Each is read from the change log only once. */
export interface RecentChanges {
  /** Reads new changes from the log. Call it in a transaction without uncommitted writes. */
  catchUp(entities: Entities): Promise<Recent>;
  /** The changes read so far. */
  known(): Recent;
}

export const createRecentChanges = (kinds: readonly KindName[], startedAt: string): RecentChanges => {
  const kindNames: ReadonlySet<string> = new Set(kinds);
  let revision = -1;
  let since = startedAt;
  let sinceRevision = 0;
  let changes: Change[] = [];
  const known = (isCurrent = false): Recent => ({ since, sinceRevision, changes, revision, isCurrent });

  const reset = async (entities: Entities): Promise<Recent> => {
    const [newest] = await entities.list(changeKind, endOfLog('newest'));
    // Another transaction may have read a later state.
    if ((newest?.revision ?? 0) < revision) return known();
    changes = [];
    revision = sinceRevision = newest?.revision ?? 0;
    since = newest && newest.createdAt > since ? newest.createdAt : since;
    return known(true);
  };
  const add = (change: Change) => {
    // Two transactions may have read the same records.
    if (change.revision <= revision) return;
    revision = change.revision;
    if (kindNames.has(change.entity)) changes.push(change);
    if (changes.length <= MAX_CHANGES) return;
    const dropped = changes.splice(0, MAX_CHANGES / 2);
    since = dropped.at(-1)?.at ?? since;
    sinceRevision = dropped.at(-1)?.revision ?? sinceRevision;
  };
  return {
    known,
    catchUp: async (entities) => {
      if (revision < 0) return reset(entities);
      // Usually nothing has changed. If the snapshot of this transaction is older, it lacks changes that another transaction has already
      // read.
      const snapshot = await entities.revision();
      if (snapshot <= revision) return known(snapshot === revision);
      for await (const { changes: page, missingUpTo } of followLog(recordsIn(entities), revision, { batch: BATCH, pages: MAX_BATCHES })) {
        if (missingUpTo !== undefined) break;
        for (const change of page) add(change);
      }
      return revision < snapshot ? reset(entities) : known(revision === snapshot);
    },
  };
};
