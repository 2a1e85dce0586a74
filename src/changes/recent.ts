import { change as changeKind } from '../api/changes.ts';
import type { KindName } from '../api/kind-names.ts';
import type { Entities } from './entities.ts';
import type { Change } from './events.ts';
import { changeOf, endOfLog, recordsFrom } from './log.ts';

const BATCH = 500;
/** Batches that are read to catch up; a longer gap discards what is kept. */
const MOST_BATCHES = 5;
/** Changes that are kept; when there are more, the older half goes. */
const KEPT = 1000;

export interface Recent {
  /** Of changes up to this time nothing is known, ISO text. */
  readonly since: string;
  /** The same as a revision: that of the last change of which nothing is known. */
  readonly sinceRevision: number;
  /** Those after it, oldest first. */
  readonly changes: readonly Change[];
  /** Up to which the log was read. */
  readonly revision: number;
  /** Whether the transaction that asks sees all of this: another may have seen a later state, and read on already. */
  readonly isSeen: boolean;
}

/** The recent changes of some kinds, kept in memory: each is read from the change log once, also those of other controllers. */
export interface RecentChanges {
  /** Reads on in the log, as a transaction sees it that holds nothing uncommitted. */
  catchUp(entities: Entities): Promise<Recent>;
  /** The changes that are known already, without reading. */
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
    // Where another has gone further meanwhile, its state is the later one.
    if ((newest?.revision ?? 0) < revision) return known();
    changes = [];
    revision = sinceRevision = newest?.revision ?? 0;
    since = newest && newest.createdAt > since ? newest.createdAt : since;
    return known(true);
  };
  const take = (change: Change) => {
    // Two may have read the same part of the log at once.
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
      // As a rule nothing has changed, which the revision alone tells.
      if ((await entities.revision()) === revision) return known(true);
      for (let batch = 0; batch < MOST_BATCHES; batch++) {
        // The last known record is read again: a transaction that does not see it sees an earlier state; if it was dropped, later ones may be, too.
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
