import { routerAccess } from '../../access/routers/common-routers.ts';
import { isDisabled } from '../../call/authentication/actors.ts';
import { hasEnded } from '../../call/authentication/lifetime.ts';
import type { Core } from '../../call/core.ts';
import { rowsById } from '../../call/resources/references.ts';
import { apiSession, edgeRouter, identity, service, session } from '../../contract/api/kinds.ts';
import type { PolicyType } from '../../contract/api/policies.ts';
import { grantsOf, isLapsed, type SessionGrant, type StoredSession } from '../../identity/sessions/grants.ts';
import type { Entities } from '../../store/entities/entities.ts';

/** The right of an identity to dial or bind a service through a router, in a session or through the router's own tunneler. */
export interface Authorization {
  /** Empty for a tunneler, as is `apiSessionId`. */
  readonly sessionId: string;
  /** False for sessions that are signed tokens: they have no row. */
  readonly isStored: boolean;
  readonly apiSessionId: string;
  readonly identityId: string;
  readonly serviceId: string;
  readonly type: PolicyType;
  readonly routerId: string;
}

/** True for the authorization of a router's own tunneler, which acts with the identity of the router. */
export const isTunneler = ({ sessionId }: Pick<Authorization, 'sessionId'>): boolean => sessionId === '';

/** The authorization that the tunneler of a router needs. */
export const tunnelerAuthorization = (requested: Pick<Authorization, 'serviceId' | 'type' | 'routerId'>): Authorization => ({
  ...requested,
  identityId: requested.routerId,
  sessionId: '',
  isStored: false,
  apiSessionId: '',
});

/** The first unmet requirement of an authorization. */
export type DenialReason = 'apiSession' | 'session' | 'router' | 'service' | 'tunneler' | 'policy';

/** The result of checking an authorization. */
export interface AuthorizationVerdict {
  /** Undefined if it is granted. */
  readonly denial: DenialReason | undefined;
  /** Ids of the service policies that grant it. */
  readonly grantedBy: readonly string[];
}

/** The reason why each authorization is currently denied; undefined if it is granted. See `verdictsOf`. */
export const denialsOf = async (...given: Parameters<typeof verdictsOf>): Promise<ReadonlyMap<Authorization, DenialReason | undefined>> => {
  const verdicts = await verdictsOf(...given);
  return new Map([...verdicts].map(([authorization, { denial }]) => [authorization, denial]));
};

/**
 * Checks which authorizations are currently granted. Takes about ten queries, regardless of the number of authorizations. The posture of
 * clients whose sessions are not stored is not checked here: only routers receive it, and check it themselves.
 */
export const verdictsOf = async (
  entities: Entities,
  { settings, activity }: Pick<Core, 'settings' | 'activity'>,
  authorizations: readonly Authorization[],
  now: string,
): Promise<ReadonlyMap<Authorization, AuthorizationVerdict>> => {
  if (authorizations.length === 0) return new Map();
  const ids = (key: Exclude<keyof Authorization, 'isStored'>) => authorizations.map((authorization) => authorization[key]);
  const apiSessions = await rowsById(entities, apiSession, ids('apiSessionId'));
  const sessions = await rowsById(entities, session, ids('sessionId'));
  const identities = await rowsById(entities, identity, ids('identityId'));
  const services = await rowsById(entities, service, ids('serviceId'));
  const routers = await rowsById(entities, edgeRouter, ids('routerId'));
  const grants = await grantsOf(entities, [...sessions.values()], now);
  const unstored = authorizations.filter((authorization) => !authorization.isStored && !isTunneler(authorization));
  const unstoredGrants = await grantsOf(entities, unstored, now, { isPostureIgnored: true });
  // Tunnelers report no posture, so policies with posture checks grant them nothing.
  const tunnelerGrants = await grantsOf(entities, authorizations.filter(isTunneler), now);
  const pairs = authorizations.flatMap(({ identityId, serviceId }) => {
    const [identityRow, serviceRow] = [identities.get(identityId), services.get(serviceId)];
    return identityRow && serviceRow ? [{ identity: identityRow, service: serviceRow }] : [];
  });
  const mayUse = await routerAccess(entities, pairs, [...routers.values()]);

  const grantOfSession = (authorization: Authorization, row: StoredSession | undefined): SessionGrant | undefined => {
    const isSame =
      row?.apiSessionId === authorization.apiSessionId &&
      row.identityId === authorization.identityId &&
      row.serviceId === authorization.serviceId &&
      row.type === authorization.type;
    return isSame && !isLapsed(row, now) ? grants.get(row) : undefined;
  };
  const grantIn = (authorization: Authorization): SessionGrant | undefined => {
    if (isTunneler(authorization)) return tunnelerGrants.get(authorization);
    return authorization.isStored
      ? grantOfSession(authorization, sessions.get(authorization.sessionId))
      : unstoredGrants.get(authorization);
  };
  const isApiSessionOpen = ({ apiSessionId, identityId }: Authorization): boolean => {
    const row = apiSessions.get(apiSessionId);
    return row?.identityId === identityId && !hasEnded(settings, activity.current(row), now);
  };
  const denialOf = (authorization: Authorization, grant: SessionGrant | undefined): DenialReason | undefined => {
    const [identityRow, serviceRow] = [identities.get(authorization.identityId), services.get(authorization.serviceId)];
    // A router has an identity only while it has a tunneler.
    if (!identityRow || isDisabled(identityRow, now)) return isTunneler(authorization) ? 'tunneler' : 'apiSession';
    if (!isTunneler(authorization) && !isApiSessionOpen(authorization)) return 'apiSession';
    if (!serviceRow) return 'service';
    if (!grant) return isTunneler(authorization) ? 'policy' : 'session';
    const router = routers.get(authorization.routerId);
    if (!router || router.disabled || !mayUse({ identity: identityRow, service: serviceRow }, router)) return 'router';
    return undefined;
  };
  return new Map(
    authorizations.map((authorization) => {
      const grant = grantIn(authorization);
      return [authorization, { denial: denialOf(authorization, grant), grantedBy: grant?.grantedBy ?? [] }];
    }),
  );
};
