import { change as changeKind } from '../../contract/api/changes.ts';
import { changeId } from '../../contract/changes/events.ts';
import { ApiError, invalidField } from '../../contract/errors/index.ts';
import { followLog, oldestRevision, recordsPerPage } from '../changelog/follow.ts';
import { EXPIRED } from '../changelog/log.ts';
import { recordsFrom } from '../changelog/queries.ts';
import { createUndo, noteChange } from '../history/undo.ts';
import type { Row } from '../storage/port.ts';
import { recordsIn } from './change-records.ts';
import type { Entities } from './entities.ts';

/** Maximum number of entities that may have changed since a past state, because their earlier versions are in memory. */
const MAX_UNDONE = 200_000;
/** The number of change records that are read at a time. */
const pageSize = recordsPerPage({ first: 100, min: 2, max: 1000, bytes: 4_194_304 });

/** The state of the network at an earlier revision. */
export interface PastState {
  readonly revision: number;
  /** The time of the state, as ISO text: the requested time, or that of the last change before the state. */
  readonly at: string;
  /**
   * The entities of the state, read-only. Reads the changes since the previous call from the log.
   * @param entities the entities of a read transaction on the current state
   * @throws ApiError `CURSOR_EXPIRED` if changes that have not been read yet were dropped from the log
   */
  open(entities: Entities): Promise<Entities>;
  /**
   * Like `open`, but reads at most one page of changes, so that other work can run in between.
   * @returns undefined if more changes remain
   */
  openStep(entities: Entities): Promise<Entities | undefined>;
}

/**
 * Finds a past state.
 * @throws ApiError `CURSOR_EXPIRED` if the log does not reach back far enough; `COULD_NOT_VALIDATE` if the state is not in the past
 */
export type OpenPast = (entities: Entities, now: string) => Promise<PastState>;

/** Selects the state at a revision or at a time. It is found once, and then keeps the changes since that state in memory. */
export const pastStateAt = (when: number | Date): OpenPast => {
  let found: PastState | undefined;
  return async (entities, now) => (found ??= await findPastState(entities, when, now));
};

const findPastState = async (entities: Entities, when: number | Date, now: string): Promise<PastState> => {
  const newest = await entities.revision();
  const oldest = (await oldestRevision(recordsIn(entities))) || newest + 1;
  const requested = typeof when === 'number' ? when : when.toISOString();
  if (requested > (typeof requested === 'number' ? newest : now))
    throw invalidField('at', `at must be in the past: the last revision is ${newest}, the time is ${now}, got ${requested}`, requested);
  const revision = typeof requested === 'number' ? requested : await revisionAtTime(entities, requested, { oldest, newest });
  if (revision < oldest - 1 || (typeof requested === 'string' && revision < oldest && oldest > 1))
    throw droppedFromLog(requested, oldest - 1);
  const [record] = await entities.list(changeKind, recordsFrom(Math.max(revision, oldest), 1));
  return createPastState(revision, typeof requested === 'string' ? requested : (record?.createdAt ?? now));
};

const droppedFromLog = (since: number | string, earliest: number): ApiError =>
  new ApiError('CURSOR_EXPIRED', {
    cause: {
      message: `the changes since ${since} were dropped from the change log: the earliest available state is that of revision ${earliest}`,
      earliest,
    },
  });

/** The revision of the last change up to a time; the one before the oldest record if there is no such change. */
const revisionAtTime = async (entities: Entities, at: string, { oldest, newest }: { readonly oldest: number; readonly newest: number }) => {
  let [low, high] = [oldest, newest + 1];
  // The changes before `low` are not later than `at`; the changes from `high` on are.
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
    if (!record || !isGrantEndBy(record, at)) return last;
    last++;
  }
};

/** True for the record of a grant that ended at or before a time. */
const isGrantEndBy = ({ requestId, reason, before }: Row, at: string): boolean => {
  if (requestId !== EXPIRED.requestId || reason !== EXPIRED.reason) return false;
  const { validUntil, roleAttributeGrants } = Object(before) as Readonly<Record<string, unknown>>; // the fields of an entity
  const ends = [validUntil, ...Object.values(Object(roleAttributeGrants) as object).map((grant) => Object(grant).validUntil)];
  return ends.some((end) => typeof end === 'string' && end <= at);
};

const createPastState = (revision: number, at: string): PastState => {
  const undo = createUndo(revision);
  let readUpTo = revision;
  const catchUp = async (entities: Entities, pages: number): Promise<void> => {
    if (readUpTo >= (await entities.revision())) return;
    for await (const { changes, missingUpTo } of followLog(recordsIn(entities), readUpTo, { batch: pageSize, pages })) {
      if (missingUpTo !== undefined) throw droppedFromLog(readUpTo, missingUpTo);
      for (const change of changes) noteChange(undo, change);
      // Another call may have read further in the meantime. Notes of the same changes have no effect.
      readUpTo = Math.max(readUpTo, changes.at(-1)?.revision ?? readUpTo);
      if (undo.size > MAX_UNDONE)
        throw invalidField(
          'at',
          `more than ${MAX_UNDONE} entities have changed since revision ${revision}: request a later state`,
          revision,
        );
    }
  };
  return {
    revision,
    at,
    open: async (entities) => {
      await catchUp(entities, Infinity);
      return entities.past(undo);
    },
    openStep: async (entities) => {
      await catchUp(entities, 1);
      return readUpTo >= (await entities.revision()) ? entities.past(undo) : undefined;
    },
  };
};
