/** The grants of sessions: the granting policies, and the time of expiry. Runs the evaluator for many sessions in a batch. */

import { apiSession, identity, postureData, service, servicePolicy, type session } from '../../../api/kinds.ts';
import type { RowOf } from '../../../api/kit/index.ts';
import { createTimeSlice, ENTRIES_AT_ONCE } from '../../../concurrency/event-loop.ts';
import type { Entities } from '../../../entities/entities.ts';
import { FOREVER } from '../../../query/dates.ts';
import { and } from '../../../query/index.ts';
import { rowsReferredBy } from '../../../resources/references.ts';
import { type Decision, decisionOf } from '../../policy/access/decide.ts';
import { accessBy, permissionsAmong } from '../../policy/access/evaluate.ts';
import { checksOf } from '../../policy/posture/load.ts';
import { memoized } from '../../policy/posture/memoized.ts';
import { type Posture, postureOf } from '../../policy/posture/posture.ts';
import { maybeSelecting } from '../../policy/roles/membership.ts';

export type StoredSession = RowOf<typeof session>;

/** The policies that grant a session, and the time at which their grant expires. */
export interface SessionGrant {
  /** Ids of the service policies that pass. */
  readonly grantedBy: readonly string[];
  /** The time at which the last of them stops passing if nothing else changes, in ISO format. */
  readonly grantedUntil: string;
}

/** The grant of a decision; undefined if access is denied. */
export const grantOf = ({ policies }: Decision): SessionGrant | undefined => {
  const passing = policies.filter(({ isPassing }) => isPassing);
  if (passing.length === 0) return undefined;
  const ends = passing.map(({ checks }) => Math.min(FOREVER, ...checks.map(({ failsAt = FOREVER }) => failsAt)));
  return { grantedBy: passing.map(({ policy }) => policy.id), grantedUntil: new Date(Math.max(...ends)).toISOString() };
};

/** True if the grant of a session has expired. The session has then ended permanently: even after a new code, the client needs a new session. */
export const isLapsed = ({ grantedUntil }: StoredSession, now: string): boolean => (grantedUntil ?? '') < now;

/** The fields of a session that determine its grant. */
export type GrantedSession = Pick<StoredSession, 'apiSessionId' | 'identityId' | 'serviceId' | 'type'>;

/**
 * The current grant of each session; undefined for one that is no longer granted. Makes seven queries for any number of sessions.
 * @param isPostureIgnored true to skip posture checks, because something else enforces them
 */
export const grantsOf = async <S extends GrantedSession>(
  entities: Entities,
  sessions: readonly S[],
  now: string,
  { isPostureIgnored = false } = {},
): Promise<ReadonlyMap<S, SessionGrant | undefined>> => {
  if (sessions.length === 0) return new Map();
  const identities = await rowsReferredBy(entities, identity, sessions, ({ identityId }) => identityId);
  const services = await rowsReferredBy(entities, service, sessions, ({ serviceId }) => serviceId);
  const policies = await entities.list(servicePolicy, {
    where: and(maybeSelecting('identityRoles', [...identities.values()]), maybeSelecting('serviceRoles', [...services.values()])),
  });
  const permissions = await permissionsAmong(policies, identities.values(), services.values());
  const postureIn = await posturesOf(entities, sessions, isPostureIgnored ? [] : policies, now);
  const grants = new Map<S, SessionGrant | undefined>();
  const timeSlice = createTimeSlice(ENTRIES_AT_ONCE);
  for (const row of sessions) {
    const [who, what] = [identities.get(row.identityId), services.get(row.serviceId)];
    const access = who && what && accessBy(permissions(who, what), postureIn(row));
    grants.set(row, access && grantOf(decisionOf(access, row.type ?? 'Dial')));
    await timeSlice(1 + (access?.results.reduce((sum, { checks }) => sum + 1 + checks.length, 0) ?? 0));
  }
  return grants;
};

/** The posture of the endpoint of each session, for the checks of these policies. */
const posturesOf = async (
  entities: Entities,
  sessions: readonly GrantedSession[],
  policies: readonly RowOf<typeof servicePolicy>[],
  now: string,
): Promise<(row: GrantedSession) => Posture> => {
  const checks = await checksOf(entities, policies);
  const time = Date.parse(now);
  if (checks.length === 0) {
    const none = postureOf([], {}, time);
    return () => none;
  }
  const factsById = await rowsReferredBy(entities, postureData, sessions, ({ identityId }) => identityId);
  const apiSessions = await rowsReferredBy(entities, apiSession, sessions, ({ apiSessionId }) => apiSessionId);
  const postureInSession = memoized((id: string) => {
    const known = apiSessions.get(id);
    return postureOf(checks, { ...factsById.get(known?.identityId ?? ''), session: known }, time);
  });
  return (row) => postureInSession(row.apiSessionId);
};
