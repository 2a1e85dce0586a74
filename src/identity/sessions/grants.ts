/** The grants of sessions: the granting policies, and the time of expiry. Runs the evaluator for many sessions in a batch. */

import { type Decision, decisionOf } from '../../access/evaluation/decide.ts';
import { accessBy, permissionsAmong } from '../../access/evaluation/evaluate.ts';
import { loadChecks } from '../../access/posture/load.ts';
import { type Posture, postureOf } from '../../access/posture/posture.ts';
import { maybeSelecting } from '../../access/roles/membership.ts';
import { rowsReferredBy } from '../../call/resources/references.ts';
import { apiSession, identity, postureData, service, servicePolicy, type session } from '../../contract/api/kinds.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import { FOREVER } from '../../query/dates.ts';
import { and } from '../../query/index.ts';
import { createTimeSlice, ENTRIES_AT_ONCE } from '../../runtime/concurrency/event-loop.ts';
import { memoize } from '../../runtime/memoize.ts';
import type { Entities } from '../../store/entities/entities.ts';

export type StoredSession = RowOf<typeof session>;

/** The policies that grant a session, and the time at which their grant expires. */
export interface SessionGrant {
  /** Ids of the service policies that pass. */
  readonly grantedBy: readonly string[];
  /** When the last of them stops passing if nothing else changes. ISO text. */
  readonly grantedUntil: string;
}

/** The grant of a decision; undefined if access is denied. */
export const grantOf = ({ policies }: Decision): SessionGrant | undefined => {
  const passing = policies.filter(({ isPassing }) => isPassing);
  if (passing.length === 0) return undefined;
  const ends = passing.map(({ checks }) => Math.min(FOREVER, ...checks.map(({ failsAt = FOREVER }) => failsAt)));
  return { grantedBy: passing.map(({ policy }) => policy.id), grantedUntil: new Date(Math.max(...ends)).toISOString() };
};

/**
 * True if the grant of a session has expired. The session has then ended permanently, and the client needs a new one, even after it has
 * passed a new code.
 */
export const isLapsed = ({ grantedUntil }: StoredSession, now: string): boolean => (grantedUntil ?? '') < now;

/** The fields of a session that determine its grant. */
export type GrantedSession = Pick<StoredSession, 'apiSessionId' | 'identityId' | 'serviceId' | 'type'>;

/**
 * The current grant of each session; undefined for one that is no longer granted. Runs seven queries for any number of sessions.
 * @param isPostureIgnored true to skip posture checks, which routers then enforce
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
  const yieldIfDue = createTimeSlice(ENTRIES_AT_ONCE);
  for (const row of sessions) {
    const [who, what] = [identities.get(row.identityId), services.get(row.serviceId)];
    const access = who && what && accessBy(permissions(who, what), postureIn(row));
    grants.set(row, access && grantOf(decisionOf(access, row.type ?? 'Dial')));
    const results = access?.results ?? [];
    await yieldIfDue(1 + results.length + results.flatMap(({ checks }) => checks).length);
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
  const checks = await loadChecks(entities, policies);
  const time = Date.parse(now);
  if (checks.length === 0) {
    const none = postureOf([], {}, time);
    return () => none;
  }
  const factsById = await rowsReferredBy(entities, postureData, sessions, ({ identityId }) => identityId);
  const apiSessions = await rowsReferredBy(entities, apiSession, sessions, ({ apiSessionId }) => apiSessionId);
  const postureInSession = memoize((id: string) => {
    const parent = apiSessions.get(id);
    return postureOf(checks, { ...factsById.get(parent?.identityId ?? ''), session: parent }, time);
  });
  return (row) => postureInSession(row.apiSessionId);
};
