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
import { type Granting, grantsOf, isLapsed } from '../../sessions/sessions/grants.ts';
import { isOfTunneler, type TrafficRight } from './right.ts';

/** Why a right does not stand. */
export type RightFault = 'apiSession' | 'session' | 'router' | 'service' | 'tunneler' | 'policy';

/**
 * What is wrong with each of these rights in this state; nothing for those that stand. Sessions, policies, posture and routers are asked anew: what was true when
 * a right was granted does not count. Some ten queries for any number of rights.
 */
export const rightFaults = async (
  entities: Entities,
  { settings, activity }: Pick<Core, 'settings' | 'activity'>,
  rights: readonly TrafficRight[],
  now: string,
): Promise<ReadonlyMap<TrafficRight, RightFault | undefined>> => {
  if (rights.length === 0) return new Map();
  const ids = (key: keyof TrafficRight) => rights.map((right) => right[key]);
  const apiSessions = await rowsById(entities, apiSession, ids('apiSessionId'));
  const sessions = await rowsById(entities, session, ids('sessionId'));
  const identities = await rowsById(entities, identity, ids('identityId'));
  const services = await rowsById(entities, service, ids('serviceId'));
  const routers = await rowsById(entities, edgeRouter, ids('routerId'));
  const grants = await grantsOf<Granting>(entities, [...sessions.values(), ...rights.filter(isOfTunneler)], now);
  const pairs = rights.flatMap((right) => {
    const [who, what] = [identities.get(right.identityId), services.get(right.serviceId)];
    return who && what ? [{ identity: who, service: what }] : [];
  });
  const mayUse = await routerAccess(entities, pairs);

  const sessionFault = (right: TrafficRight): RightFault | undefined => {
    const of = apiSessions.get(right.apiSessionId);
    if (of?.identityId !== right.identityId || hasEnded(settings, activity.current(of), now)) return 'apiSession';
    const row = sessions.get(right.sessionId);
    const isSame =
      row?.apiSessionId === of.id && row.identityId === right.identityId && row.serviceId === right.serviceId && row.type === right.type;
    return row && isSame && !isLapsed(row, now) && grants.get(row) !== undefined ? undefined : 'session';
  };

  // A router has an identity of its own as long as it has a tunneler.
  const tunnelerFault = (right: TrafficRight): RightFault | undefined => (grants.get(right) === undefined ? 'policy' : undefined);

  const faultOf = (right: TrafficRight): RightFault | undefined => {
    const [who, what] = [identities.get(right.identityId), services.get(right.serviceId)];
    if (!who || isDisabled(who, now)) return isOfTunneler(right) ? 'tunneler' : 'apiSession';
    if (!what) return 'service';
    const fault = isOfTunneler(right) ? tunnelerFault(right) : sessionFault(right);
    if (fault) return fault;
    const router = routers.get(right.routerId);
    return router && !router.disabled && mayUse({ identity: who, service: what }, router) ? undefined : 'router';
  };
  return new Map(rights.map((right) => [right, faultOf(right)]));
};
