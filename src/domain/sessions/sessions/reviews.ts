/**
 * Reviews the sessions that a change affects: some in the transaction of the change, the rest in steps that follow, each in its own transaction. The
 * rest is recorded in the store, so that every controller knows until then which sessions are in doubt.
 */

import { session, sessionReview } from '../../../api/kinds.ts';
import type { RowOf } from '../../../api/kit/index.ts';
import type { Entities } from '../../../entities/entities.ts';
import type { AroundWrite } from '../../../entities/writer.ts';
import type { Background } from '../../../jobs/background.ts';
import { createDrain } from '../../../jobs/drain.ts';
import type { Platform } from '../../../platform/platform.ts';
import { ALL, and, idAfter, NONE, or, type Predicate } from '../../../query/index.ts';
import { isSameJson } from '../../../storage/same-json.ts';
import { affectedBy } from './affected.ts';
import { grantsOf, isLapsed, type SessionGrant, type StoredSession } from './grants.ts';

/** The maximum of sessions that one transaction reviews. */
export const AT_ONCE = 1000;

/**
 * Reviews the sessions that the changes of this transaction affect.
 * @returns true if some are left to review
 */
export const reviewChanges = async (entities: Entities, now: string): Promise<boolean> => {
  const losing: Predicate[] = [];
  const gaining: Predicate[] = [];
  for (const change of [...entities.changes]) {
    const affected = await affectedBy(entities, change);
    losing.push(affected.losing);
    gaining.push(affected.gaining);
  }
  const lost = await begin(entities, or(...losing), true, now);
  const gained = await begin(entities, or(...gaining), false, now);
  return lost || gained;
};

const begin = async (entities: Entities, sessions: Predicate, isInDoubt: boolean, now: string): Promise<boolean> => {
  if (sessions.op === 'none') return false;
  const lastId = await reviewPage(entities, sessions, '', now);
  if (lastId === undefined) return false;
  await entities.insert(sessionReview, { sessions, lastId, isInDoubt });
  return true;
};

export const isReviewLeft = async (entities: Entities): Promise<boolean> => (await entities.find(sessionReview, ALL)) !== undefined;

/** Runs the next step of a pending review. @returns false if there is none */
export const continueReview = async (entities: Entities, now: string): Promise<boolean> => {
  const review = await entities.find(sessionReview, ALL);
  if (!review) return false;
  const lastId = await reviewPage(entities, predicateOf(review), review.lastId ?? '', now);
  if (lastId === undefined) await entities.remove(sessionReview, review);
  else await entities.update(sessionReview, review, { lastId });
  return true;
};

/** @returns the last reviewed session, or undefined when none is left */
const reviewPage = async (entities: Entities, sessions: Predicate, after: string, now: string): Promise<string | undefined> => {
  const rows = await entities.list(session, { where: and(sessions, idAfter(after)), limit: AT_ONCE });
  await refreshGrants(entities, rows, now);
  return rows.length < AT_ONCE ? undefined : rows.at(-1)?.id;
};

/** Ends those that lost their right, and notes by what the others live now. What has ended with its time does not come back. */
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

/** Sessions that may have lost their right and are not yet reviewed. */
export const sessionsInDoubt = async (entities: Entities): Promise<Predicate> => {
  const reviews = (await entities.list(sessionReview, { where: ALL })).filter(({ isInDoubt }) => isInDoubt);
  return or(...reviews.map((review) => and(predicateOf(review), idAfter(review.lastId ?? ''))));
};

/** The hooks by which every write ends the sessions whose rights it takes away, so that no handler has to. */
export interface SessionHooks {
  readonly aroundWrite: AroundWrite;
  /** Continues the reviews that writes left, in the background, until none is left. Safe to call while it runs. */
  continueReviews(background: Background): void;
}

export const createSessionHooks = (platform: Pick<Platform, 'clock' | 'logger'>): SessionHooks => {
  const now = () => new Date(platform.clock.now()).toISOString();
  return {
    aroundWrite: async (entities, work) => {
      const result = await work(entities);
      return { result, isUnfinished: await reviewChanges(entities, now()) };
    },
    continueReviews: createDrain(platform, {
      attribution: { actor: 'system', requestId: 'sessions' },
      step: async ({ read, write }) => (await read(isReviewLeft)) && (await write((entities) => continueReview(entities, now()))),
      failure: 'could not review the sessions that a change affects; retrying',
    }),
  };
};
