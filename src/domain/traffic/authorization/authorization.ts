import { apiSession, edgeRouter, identity, service, session } from '../../../api/kinds.ts';
import type { PolicyType } from '../../../api/policies.ts';
import { isDisabled } from '../../../authentication/actors.ts';
import { hasEnded } from '../../../authentication/lifetime.ts';
import type { Core } from '../../../call/core.ts';
import type { Entities } from '../../../entities/entities.ts';
import { rowsById } from '../../../resources/references.ts';
import { routerAccess } from '../../fabric/routers/common-routers.ts';
import { grantsOf, isLapsed, type StoredSession } from '../../sessions/sessions/grants.ts';

/** The right of an identity to dial or bind a service through a router, in a session or through the router's own tunneler. */
export interface Authorization {
  /** Empty for a tunneler, as is `apiSessionId`. */
  readonly sessionId: string;
  /** False for sessions that are signed tokens, which have no row. */
  readonly isStored: boolean;
  readonly apiSessionId: string;
  readonly identityId: string;
  readonly serviceId: string;
  readonly type: PolicyType;
  readonly routerId: string;
}

/** True if a router acts for itself: through its own tunneler, with its own identity. */
export const isTunneler = ({ sessionId }: Pick<Authorization, 'sessionId'>): boolean => sessionId === '';

/** The authorization that the tunneler of a router needs. */
export const tunnelerAuthorization = (requested: Pick<Authorization, 'serviceId' | 'type' | 'routerId'>): Authorization => ({
  ...requested,
  identityId: requested.routerId,
  sessionId: '',
  isStored: false,
  apiSessionId: '',
});

/** The first requirement of an authorization that is not met. */
export type DenialReason = 'apiSession' | 'session' | 'router' | 'service' | 'tunneler' | 'policy';

/**
 * Why each authorization is denied now; undefined if it is not. Rechecks sessions, policies, posture and routers with about ten queries, however many
 * authorizations there are. For sessions that are not stored, routers check the posture, because only they receive it.
 */
export const denialsOf = async (
  entities: Entities,
  { settings, activity }: Pick<Core, 'settings' | 'activity'>,
  authorizations: readonly Authorization[],
  now: string,
): Promise<ReadonlyMap<Authorization, DenialReason | undefined>> => {
  if (authorizations.length === 0) return new Map();
  const ids = (key: Exclude<keyof Authorization, 'isStored'>) => authorizations.map((one) => one[key]);
  const apiSessions = await rowsById(entities, apiSession, ids('apiSessionId'));
  const sessions = await rowsById(entities, session, ids('sessionId'));
  const identities = await rowsById(entities, identity, ids('identityId'));
  const services = await rowsById(entities, service, ids('serviceId'));
  const routers = await rowsById(entities, edgeRouter, ids('routerId'));
  const grants = await grantsOf(entities, [...sessions.values()], now);
  const unstored = authorizations.filter((one) => !one.isStored && !isTunneler(one));
  const unstoredGrants = await grantsOf(entities, unstored, now, { isPostureIgnored: true });
  // Tunnelers report no posture, so policies with posture checks grant them nothing.
  const tunnelerGrants = await grantsOf(entities, authorizations.filter(isTunneler), now);
  const pairs = authorizations.flatMap(({ identityId, serviceId }) => {
    const [who, what] = [identities.get(identityId), services.get(serviceId)];
    return who && what ? [{ identity: who, service: what }] : [];
  });
  const mayUse = await routerAccess(entities, pairs, [...routers.values()]);

  const isGranted = (one: Authorization, row: StoredSession | undefined): boolean => {
    const isSame =
      row?.apiSessionId === one.apiSessionId &&
      row.identityId === one.identityId &&
      row.serviceId === one.serviceId &&
      row.type === one.type;
    return isSame && !isLapsed(row, now) && grants.get(row) !== undefined;
  };
  const isApiSessionOpen = ({ apiSessionId, identityId }: Authorization): boolean => {
    const row = apiSessions.get(apiSessionId);
    return row?.identityId === identityId && !hasEnded(settings, activity.current(row), now);
  };
  const denialOf = (one: Authorization): DenialReason | undefined => {
    const [who, what] = [identities.get(one.identityId), services.get(one.serviceId)];
    // A router has its own identity only while it has a tunneler.
    if (!who || isDisabled(who, now)) return isTunneler(one) ? 'tunneler' : 'apiSession';
    if (!isTunneler(one) && !isApiSessionOpen(one)) return 'apiSession';
    if (!what) return 'service';
    if (isTunneler(one) && !tunnelerGrants.get(one)) return 'policy';
    if (!isTunneler(one) && !(one.isStored ? isGranted(one, sessions.get(one.sessionId)) : unstoredGrants.get(one))) return 'session';
    const router = routers.get(one.routerId);
    if (!router || router.disabled || !mayUse({ identity: who, service: what }, router)) return 'router';
    return undefined;
  };
  return new Map(authorizations.map((one) => [one, denialOf(one)]));
};
