import { change as changeKind } from '../api/changes.ts';
import { changeId } from '../changelog/events.ts';
import { followLog, oldestRevision, recordsPerPage } from '../changelog/follow.ts';
import { recordsFrom } from '../changelog/queries.ts';
import { ApiError, invalidField } from '../errors/index.ts';
import { growingUndo, noteChange } from '../history/undo.ts';
import type { Row } from '../storage/port.ts';
import { recordsIn } from './change-records.ts';
import type { Entities } from './entities.ts';
import { EXPIRED } from './settled-store.ts';

/** Maximum number of entities that may have changed since a past state, because what they were is kept in memory. */
const MAX_UNDONE = 200_000;
/** Change records that are read at once. */
const pageOf = recordsPerPage({ first: 100, min: 2, max: 1000, bytes: 4_194_304 });

/** The state of the network at an earlier revision. */
export interface PastState {
  readonly revision: number;
  /** The time of the state, as ISO text: the time that was asked for, or that of its last change. */
  readonly at: string;
  /**
   * The entities of the state, read-only. Reads the changes since the last time from the log.
   * @param entities those of a read transaction on the present state
   * @throws ApiError `CURSOR_EXPIRED` if changes that it has not read yet have left the log
   */
  see(entities: Entities): Promise<Entities>;
  /** Like `see`, but reads one page of the changes at most, so that other work can run in between. @returns undefined if there are more */
  approach(entities: Entities): Promise<Entities | undefined>;
}

/** Finds a past state. @throws ApiError `CURSOR_EXPIRED` if the log does not reach back so far; `COULD_NOT_VALIDATE` if it is not in the past */
export type OpenPast = (entities: Entities, now: string) => Promise<PastState>;

/** The state at a revision or at a time. It is found once, and then remembers the changes since. */
export const pastStateAt = (when: number | Date): OpenPast => {
  let found: PastState | undefined;
  return async (entities, now) => (found ??= await find(entities, when, now));
};

const find = async (entities: Entities, when: number | Date, now: string): Promise<PastState> => {
  const newest = await entities.revision();
  const oldest = (await oldestRevision(recordsIn(entities))) || newest + 1;
  const shown = typeof when === 'number' ? when : when.toISOString();
  if (shown > (typeof shown === 'number' ? newest : now))
    throw invalidField('at', `at must be a state of the past: the last revision is ${newest}, and it is ${now}; got ${shown}`, shown);
  const revision = typeof shown === 'number' ? shown : await revisionAtTime(entities, shown, { oldest, newest });
  if (revision < oldest - 1 || (typeof shown === 'string' && revision < oldest && oldest > 1)) throw hasLeftTheLog(shown, oldest - 1);
  const [record] = await entities.list(changeKind, recordsFrom(Math.max(revision, oldest), 1));
  return rememberChanges(revision, typeof shown === 'string' ? shown : (record?.createdAt ?? now));
};

const hasLeftTheLog = (wanted: number | string, earliest: number): ApiError =>
  new ApiError('CURSOR_EXPIRED', {
    cause: {
      message: `the changes since ${wanted} have left the change log: the earliest state that is known is that of revision ${earliest}`,
      earliest,
    },
  });

/** The revision of the last change up to a time; the one before the oldest if there is none. */
const revisionAtTime = async (entities: Entities, at: string, { oldest, newest }: { readonly oldest: number; readonly newest: number }) => {
  let [low, high] = [oldest, newest + 1];
  // The changes before `low` are not later than `at`, those from `high` on are.
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [record] = await entities.list(changeKind, recordsFrom(middle, 1));
    if (record && record.createdAt <= at) low = middle + 1;
    else high = middle;
  }
  // Grants end at their time, but are only taken out of effect before the next call.
  let last = low - 1;
  for (;;) {
    const record = await entities.get(changeKind, changeId(last + 1));
    if (!record || !endedBy(record, at)) return last;
    last++;
  }
};

/** True for the record of a grant that ended up to a time. */
const endedBy = ({ requestId, reason, before }: Row, at: string): boolean => {
  if (requestId !== EXPIRED.requestId || reason !== EXPIRED.reason) return false;
  const { validUntil, roleAttributeGrants } = Object(before) as Readonly<Record<string, unknown>>; // an entity, as its record shows it
  const ends = [validUntil, ...Object.values(Object(roleAttributeGrants) as object).map((grant) => Object(grant).validUntil)];
  return ends.some((end) => typeof end === 'string' && end <= at);
};

const rememberChanges = (revision: number, at: string): PastState => {
  const undo = growingUndo(revision);
  let known = revision;
  const catchUp = async (entities: Entities, pages: number): Promise<void> => {
    if (known >= (await entities.revision())) return;
    for await (const { changes, missingUpTo } of followLog(recordsIn(entities), known, { batch: pageOf, pages })) {
      if (missingUpTo !== undefined) throw hasLeftTheLog(known, missingUpTo);
      for (const change of changes) noteChange(undo, change);
      // Another call may have read further in the meantime. Notes of the same changes have no effect.
      known = Math.max(known, changes.at(-1)?.revision ?? known);
      if (undo.size > MAX_UNDONE)
        throw invalidField(
          'at',
          `more than ${MAX_UNDONE} entities have changed since revision ${revision}: ask for a later state`,
          revision,
        );
    }
  };
  return {
    revision,
    at,
    see: async (entities) => {
      await catchUp(entities, Infinity);
      return entities.past(undo);
    },
    approach: async (entities) => {
      await catchUp(entities, 1);
      return known >= (await entities.revision()) ? entities.past(undo) : undefined;
    },
  };
};
