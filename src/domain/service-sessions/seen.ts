import { session } from '../../api/service-sessions.ts';
import { apiSession } from '../../api/sessions.ts';
import { isAdministrator, sessionOf } from '../../call/actor.ts';
import type { Call } from '../../call/call.ts';
import type { Entities } from '../../changes/entities.ts';
import { notFound } from '../../errors/index.ts';
import { ALL, and, date, equals, not, oneOf, or, type Predicate, text } from '../../query/index.ts';
import { idleSince } from '../sessions/state.ts';
import { lapsed } from './ends.ts';
import { grantsOf, isLapsed, type Session } from './grants.ts';

/** What has ended by time alone is tidied up a little later. As much of it as is looked at for one list; sessions whose time is over beyond that count as ended. */
const LOOKED_AT = 1000;

/** An administrator sees all sessions, anybody else those of the own identity. */
const ownOf = ({ actor }: Call): Predicate => (isAdministrator(actor) ? ALL : equals(text('identityId'), sessionOf(actor).identity.id));

/** The sessions that the actor may see and that have not ended, neither with their time nor with their API session. */
export const visibleSessions = async (entities: Entities, call: Call): Promise<Predicate> => {
  const own = ownOf(call);
  const now = call.now();
  const over = await lapsed(entities, own, now, LOOKED_AT);
  const grants = over.length === 0 ? new Map<Session, undefined>() : await grantsOf(entities, over, now);
  const going = over.filter((row) => grants.get(row)).map(({ id }) => id);
  const inTime: Predicate = { op: 'compare', field: date('grantedUntil'), is: '>=', value: now };
  return and(own, or(inTime, oneOf(text('id'), going)), not(oneOf(text('apiSessionId'), await idle(entities, call, own))));
};

const idle = async (entities: Entities, call: Call, own: Predicate): Promise<readonly string[]> => {
  const since: Predicate = { op: 'compare', field: date('lastActivityAt'), is: '<=', value: idleSince(call.core.settings, call.now()) };
  const rows = await entities.list(apiSession, { where: and(since, own), limit: LOOKED_AT });
  return rows.map(({ id }) => id);
};

/** @throws ApiError `NOT_FOUND` for one that has ended, and for another identity's */
export const requireVisible = async (entities: Entities, call: Call, id: string): Promise<Session> => {
  const row = await entities.require(session, id);
  const isOwn = isAdministrator(call.actor) || sessionOf(call.actor).identity.id === row.identityId;
  if (!isOwn || !(await isGoing(entities, call, row))) throw notFound(session.kind, id);
  return row;
};

/** Whether a session that is stored has not ended. */
export const isGoing = async (entities: Entities, call: Call, row: Session): Promise<boolean> => {
  const of = await entities.get(apiSession, row.apiSessionId);
  if (!of || (of.lastActivityAt ?? '') <= idleSince(call.core.settings, call.now())) return false;
  return !isLapsed(row, call.now()) || (await grantsOf(entities, [row], call.now())).get(row) !== undefined;
};
