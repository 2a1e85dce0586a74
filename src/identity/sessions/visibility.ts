import { identityOf, isAdministrator, isKnownToRouters } from '../../call/actor.ts';
import { endedSessions, hasEnded } from '../../call/authentication/lifetime.ts';
import type { Call } from '../../call/call.ts';
import { apiSession, session } from '../../contract/api/kinds.ts';
import { notFound } from '../../contract/errors/index.ts';
import { ALL, and, dateField, equals, matches, not, oneOf, or, type Predicate, stringField } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { grantsOf, isLapsed, type StoredSession } from './grants.ts';
import { sessionsInDoubt } from './reviews.ts';

/**
 * Maximum number of idle API sessions, and of sessions in doubt, that a list examines. Further sessions in doubt count as ended until they
 * are reviewed.
 */
const MAX_EXAMINED = 1000;

/** Administrators, and callers with a right to all sessions, see all sessions; others see those of their own identity. */
const ownSessions = (call: Call): Predicate => (seesAll(call) ? ALL : equals(stringField('identityId'), identityOf(call.actor).id));

const seesAll = ({ actor, grant }: Call): boolean => (isAdministrator(actor) && !isKnownToRouters(actor)) || grant.right !== undefined;

/** Selects the sessions that the actor may see and that are active: unexpired, still granted, and with an active API session. */
export const visibleSessions = async (entities: Entities, call: Call, own = ownSessions(call)): Promise<Predicate> => {
  const inTime = and(own, { op: 'compare', field: dateField('grantedUntil'), is: '>=', value: call.now() });
  const inDoubt = await inDoubtFor(entities, call);
  const proved = oneOf(stringField('id'), inDoubt.op === 'none' ? [] : await stillGranted(entities, call, and(inTime, inDoubt)));
  return and(inTime, or(not(inDoubt), proved), not(oneOf(stringField('apiSessionId'), await idle(entities, call, own))));
};

/** Selects the sessions in doubt. Also resumes their review, in case the controller that began it has failed. */
const inDoubtFor = async (entities: Entities, { core }: Call): Promise<Predicate> => {
  const inDoubt = await sessionsInDoubt(entities);
  if (inDoubt.op !== 'none') core.reviewSessions();
  return inDoubt;
};

const stillGranted = async (entities: Entities, call: Call, where: Predicate): Promise<readonly string[]> => {
  const grants = await grantsOf(entities, await entities.list(session, { where, limit: MAX_EXAMINED }), call.now());
  return [...grants].flatMap(([{ id }, grant]) => (grant ? [id] : []));
};

const idle = async (entities: Entities, call: Call, own: Predicate): Promise<readonly string[]> => {
  const rows = await entities.list(apiSession, { where: and(endedSessions(call.core.settings, call.now()), own), limit: MAX_EXAMINED });
  return rows.map(({ id }) => id);
};

/** @throws ApiError `NOT_FOUND` if the session has ended or the actor may not see it */
export const requireVisible = async (entities: Entities, call: Call, id: string): Promise<StoredSession> => {
  const row = await entities.require(session, id);
  const isOwn = seesAll(call) || identityOf(call.actor).id === row.identityId;
  if (!isOwn || !(await isActiveSession(entities, call, row))) throw notFound(session.kind, id);
  return row;
};

/** True if a stored session is still active. */
export const isActiveSession = async (entities: Entities, call: Call, row: StoredSession): Promise<boolean> => {
  const parent = await entities.get(apiSession, row.apiSessionId);
  if (!parent || hasEnded(call.core.settings, parent, call.now()) || isLapsed(row, call.now())) return false;
  return !matches(await inDoubtFor(entities, call), row) || (await grantsOf(entities, [row], call.now())).get(row) !== undefined;
};
