import { type Decision, decideAccess } from '../../access/evaluation/decide.ts';
import { policiesBetween } from '../../access/policies/traversal.ts';
import { commonRouters } from '../../access/routers/common-routers.ts';
import { apiSessionOf, isAdministrator } from '../../call/actor.ts';
import type { Call } from '../../call/call.ts';
import { apiSession, type edgeRouter, identity, service, session } from '../../contract/api/kinds.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import type { PolicyType } from '../../contract/api/policies.ts';
import { ApiError, type FailingCheck, invalidField, notFound } from '../../contract/errors/index.ts';
import { and, equals, stringField } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { grantOf, isLapsed, type SessionGrant, type StoredSession } from './grants.ts';

/** The requested service and type of access. */
export interface SessionRequest {
  readonly serviceId: string;
  readonly type: PolicyType;
}

/**
 * A policy grants access, its posture checks pass, and a router is available. If the API session has signed tokens, posture is not checked
 * here but by routers, to which endpoints report it.
 */
export interface Granted {
  readonly isGranted: true;
  /** Undefined if routers check the posture. */
  readonly grant: SessionGrant | undefined;
  readonly routers: readonly RowOf<typeof edgeRouter>[];
  /** The existing session, if any. `hasEnded` is true if it has expired. */
  readonly existing: StoredSession | undefined;
  readonly hasEnded: boolean;
}

/** Policies select both, but each of them has failing posture checks. */
export interface Refused {
  readonly isGranted: false;
  readonly service: RowOf<typeof service>;
  readonly decision: Decision;
}

/**
 * Decides whether this API session may dial or bind a service now. Clients rely on the order of the checks.
 * @throws ApiError `NOT_FOUND` if the identity may not see the service, `COULD_NOT_VALIDATE` if it may see the service but not use it this
 * way, `NO_EDGE_ROUTERS_AVAILABLE`
 */
export const decideSession = async (entities: Entities, call: Call, { serviceId, type }: SessionRequest): Promise<Granted | Refused> => {
  const caller = apiSessionOf(call.actor);
  const now = call.now();
  // Read again in this transaction, because access may have been revoked since the call began.
  const who = await entities.require(identity, caller.identity.id);
  const currentSession = await entities.require(apiSession, caller.session.id);
  const what = await entities.require(service, serviceId);
  const decision = await decideAccess(entities, { identity: who, session: currentSession, now }, what, type);
  if (!decision.isPermitted) {
    if (!isAdministrator(call.actor) && (await policiesBetween(entities, who, what)).length === 0) throw notFound(service.kind, serviceId);
    throw invalidField('ServiceId', `no policy lets this identity ${type.toLowerCase()} the service`, serviceId);
  }
  const grant = grantOf(decision);
  if (!grant && !caller.presented) return { isGranted: false, service: what, decision };
  const [routers = []] = await commonRouters(entities, [{ identity: who, service: what }], call.core.presence);
  if (routers.length === 0) throw new ApiError('NO_EDGE_ROUTERS_AVAILABLE');
  const existing = await entities.find(
    session,
    and(
      equals(stringField('apiSessionId'), currentSession.id),
      equals(stringField('serviceId'), serviceId),
      equals(stringField('type'), type),
    ),
  );
  return { isGranted: true, grant, routers, existing, hasEnded: existing !== undefined && isLapsed(existing, now) };
};

/** The error (409) that lists the failing checks of each policy. */
export const invalidPosture = ({ policies }: Decision): ApiError =>
  new ApiError('INVALID_POSTURE', {
    cause: {
      message: 'every policy that grants access has failing posture checks',
      data: Object.fromEntries(policies.map(({ policy, checks }) => [policy.id, checks.flatMap(failing)])),
    },
  });

const failing = ({ check, isPassing }: Decision['policies'][number]['checks'][number]): readonly FailingCheck[] =>
  isPassing ? [] : [{ id: check.id, typeId: check.typeId, isPassing }];
