import { apiSession } from '../../../api/api-sessions.ts';
import { identity } from '../../../api/identities.ts';
import { edgeRouter } from '../../../api/routers.ts';
import { service } from '../../../api/services.ts';
import { session } from '../../../api/sessions.ts';
import { isDisabled } from '../../../authentication/actors.ts';
import { hasEnded } from '../../../authentication/lifetime.ts';
import type { Core } from '../../../call/core.ts';
import type { Entities } from '../../../changes/entities.ts';
import { rowsById } from '../../../resources/rows-by-id.ts';
import { routerAccess } from '../../fabric/routers/common-routers.ts';
import { grantsOf, isLapsed, type StoredSession } from '../../sessions/sessions/grants.ts';
import { isOfTunneler, type TrafficRight } from './right.ts';

/** Why a right does not stand. */
export type RightFault = 'apiSession' | 'session' | 'router' | 'service' | 'tunneler' | 'policy';

/**
 * What is wrong with each of these rights in this state; nothing for those that stand. Sessions, policies, posture and routers are asked anew: what was true when
 * a right was granted does not count. Some ten queries for any number of rights. The posture of endpoints whose sessions are not stored is for their routers
 * to judge: it is these that they tell of it.
 */
export const rightFaults = async (
  entities: Entities,
  { settings, activity }: Pick<Core, 'settings' | 'activity'>,
  rights: readonly TrafficRight[],
  now: string,
): Promise<ReadonlyMap<TrafficRight, RightFault | undefined>> => {
  if (rights.length === 0) return new Map();
  const ids = (key: Exclude<keyof TrafficRight, 'isStored'>) => rights.map((right) => right[key]);
  const apiSessions = await rowsById(entities, apiSession, ids('apiSessionId'));
  const sessions = await rowsById(entities, session, ids('sessionId'));
  const identities = await rowsById(entities, identity, ids('identityId'));
  const services = await rowsById(entities, service, ids('serviceId'));
  const routers = await rowsById(entities, edgeRouter, ids('routerId'));
  const grants = await grantsOf(entities, [...sessions.values()], now);
  const unstored = rights.filter((right) => !right.isStored && !isOfTunneler(right));
  const permissions = await grantsOf(entities, unstored, now, { isPostureIgnored: true });
  // Of tunnelers no posture is known: policies with checks do not count.
  const tunnelers = await grantsOf(entities, rights.filter(isOfTunneler), now);
  const pairs = rights.flatMap((right) => {
    const [who, what] = [identities.get(right.identityId), services.get(right.serviceId)];
    return who && what ? [{ identity: who, service: what }] : [];
  });
  const mayUse = await routerAccess(entities, pairs, [...routers.values()]);

  const isGoing = (right: TrafficRight, row: StoredSession | undefined): boolean => {
    const isSame =
      row?.apiSessionId === right.apiSessionId &&
      row.identityId === right.identityId &&
      row.serviceId === right.serviceId &&
      row.type === right.type;
    return isSame && !isLapsed(row, now) && grants.get(row) !== undefined;
  };
  const isOpen = ({ apiSessionId, identityId }: TrafficRight): boolean => {
    const of = apiSessions.get(apiSessionId);
    return of?.identityId === identityId && !hasEnded(settings, activity.current(of), now);
  };
  const faultOf = (right: TrafficRight): RightFault | undefined => {
    const [who, what] = [identities.get(right.identityId), services.get(right.serviceId)];
    // A router has an identity of its own as long as it has a tunneler.
    if (!who || isDisabled(who, now)) return isOfTunneler(right) ? 'tunneler' : 'apiSession';
    if (!isOfTunneler(right) && !isOpen(right)) return 'apiSession';
    if (!what) return 'service';
    if (isOfTunneler(right) && !tunnelers.get(right)) return 'policy';
    if (!isOfTunneler(right) && !(right.isStored ? isGoing(right, sessions.get(right.sessionId)) : permissions.get(right)))
      return 'session';
    const router = routers.get(right.routerId);
    if (!router || router.disabled || !mayUse({ identity: who, service: what }, router)) return 'router';
    return undefined;
  };
  return new Map(rights.map((right) => [right, faultOf(right)]));
};
