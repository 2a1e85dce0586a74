/**
 * Reviews the sessions that a change affects: a first batch in the transaction of the change, the others in later transactions. Pending
 * reviews are stored, so that every controller can determine which sessions have not been reviewed.
 */

import { session, sessionReview } from '../../contract/api/kinds.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import { ALL, and, idAfter, NONE, or, type Predicate } from '../../query/index.ts';
import type { Platform } from '../../runtime/platform/platform.ts';
import type { Entities } from '../../store/entities/entities.ts';
import type { AroundWrite } from '../../store/entities/writer.ts';
import type { Background } from '../../store/jobs/background.ts';
import { createDrain } from '../../store/jobs/drain.ts';
import { isSameJson } from '../../store/storage/same-json.ts';
import { type Affected, affectedBy, UNAFFECTED } from './affected.ts';
import { grantsOf, isLapsed, type SessionGrant, type StoredSession } from './grants.ts';

/** Maximum number of sessions that one transaction reviews. */
export const REVIEW_BATCH_SIZE = 1000;

/**
 * Reviews the sessions that the changes of this transaction affect.
 * @returns true if some remain to be reviewed
 */
export const reviewChanges = async (entities: Entities, now: () => string): Promise<boolean> => {
  const affected: Affected[] = [];
  for (const change of [...entities.allChanges]) {
    const each = affectedBy(entities, change);
    if (each !== UNAFFECTED) affected.push(await each);
  }
  // Most writes affect no session.
  if (affected.length === 0) return false;
  const at = now();
  const lost = await beginReview(entities, or(...affected.map(({ losing }) => losing)), true, at);
  const gained = await beginReview(entities, or(...affected.map(({ gaining }) => gaining)), false, at);
  return lost || gained;
};

const beginReview = async (entities: Entities, sessions: Predicate, isInDoubt: boolean, now: string): Promise<boolean> => {
  if (sessions.op === 'none') return false;
  const lastId = await reviewPage(entities, sessions, '', now);
  if (lastId === undefined) return false;
  await entities.insert(sessionReview, { sessions, lastId, isInDoubt });
  return true;
};

export const hasPendingReview = async (entities: Entities): Promise<boolean> => (await entities.find(sessionReview, ALL)) !== undefined;

/**
 * Runs the next step of a pending review.
 * @returns false if there is none
 */
export const continueReview = async (entities: Entities, now: string): Promise<boolean> => {
  const review = await entities.find(sessionReview, ALL);
  if (!review) return false;
  const lastId = await reviewPage(entities, predicateOf(review), review.lastId ?? '', now);
  if (lastId === undefined) await entities.remove(sessionReview, review);
  else await entities.update(sessionReview, review, { lastId });
  return true;
};

/** @returns the id of the last reviewed session, or undefined if none remain */
const reviewPage = async (entities: Entities, sessions: Predicate, after: string, now: string): Promise<string | undefined> => {
  const rows = await entities.list(session, { where: and(sessions, idAfter(after)), limit: REVIEW_BATCH_SIZE });
  await refreshGrants(entities, rows, now);
  return rows.length < REVIEW_BATCH_SIZE ? undefined : rows.at(-1)?.id;
};

/** Ends sessions that have lost their grant, and updates the grants of the others. A session whose grant has expired is not revived. */
const refreshGrants = async (entities: Entities, sessions: readonly StoredSession[], now: string): Promise<void> => {
  if (sessions.length === 0) return;
  for (const [row, grant] of await grantsOf(entities, sessions, now)) {
    if (!grant || isLapsed(row, now)) await entities.remove(session, row);
    else if (!isSameGrant(row, grant)) await entities.update(session, row, grant);
  }
};

const isSameGrant = (row: StoredSession, { grantedBy, grantedUntil }: SessionGrant): boolean =>
  row.grantedUntil === grantedUntil && isSameJson(row.grantedBy, grantedBy);

const predicateOf = ({ sessions }: RowOf<typeof sessionReview>): Predicate => sessions ?? NONE;

/** Selects sessions that may have lost their grant and have not been reviewed yet. */
export const sessionsInDoubt = async (entities: Entities): Promise<Predicate> => {
  const reviews = (await entities.list(sessionReview, { where: ALL })).filter(({ isInDoubt }) => isInDoubt);
  return or(...reviews.map((review) => and(predicateOf(review), idAfter(review.lastId ?? ''))));
};

/** Hooks through which every write ends the sessions whose grants it removes. */
export interface SessionHooks {
  readonly aroundWrite: AroundWrite;
  /** Continues pending reviews in the background until none remain. Safe to call while it is already running. */
  continueReviews(background: Background): void;
}

export const createSessionHooks = (platform: Pick<Platform, 'clock' | 'logger'>): SessionHooks => {
  const now = () => new Date(platform.clock.now()).toISOString();
  return {
    aroundWrite: async (entities, work) => {
      const result = await work(entities);
      return { result, isUnfinished: await reviewChanges(entities, now) };
    },
    continueReviews: createDrain(platform, {
      attribution: { actor: 'system', requestId: 'sessions' },
      step: async ({ read, write }) => (await read(hasPendingReview)) && (await write((entities) => continueReview(entities, now()))),
      failure: 'could not review the sessions that a change affects; retrying',
    }),
  };
};
