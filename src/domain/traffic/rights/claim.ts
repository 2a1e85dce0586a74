import { apiSession } from '../../../api/api-sessions.ts';
import type { PolicyType } from '../../../api/policies.ts';
import type { Core } from '../../../call/core.ts';
import type { Entities } from '../../../changes/entities.ts';
import { refusalCode } from '../../../control-channel/messages/circuits.ts';
import { isoTime } from '../../../platform/iso-time.ts';
import { hashToken } from '../../../tokens/opaque.ts';
import { readSessionToken } from '../../sessions/sessions/token.ts';
import type { TrafficRight } from './right.ts';
import { type RightFault, rightFaults } from './standing.ts';

/** What a client has told its router, which hands it on. */
export interface TrafficClaim {
  readonly sessionToken: string;
  readonly apiSessionToken: string;
  readonly type: PolicyType;
  readonly routerId: string;
}

/** A claim does not hold. The message is sent to the client. */
export class ClaimRefused extends Error {
  override readonly name = 'ClaimRefused';
  /** See `refusalCode`. */
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const REFUSALS: Readonly<Record<RightFault, readonly [code: number, message: string]>> = {
  apiSession: [refusalCode.invalidApiSession, 'invalid api session'],
  session: [refusalCode.invalidSession, 'invalid session'],
  service: [refusalCode.invalidService, 'invalid service'],
  router: [refusalCode.invalidEdgeRouter, 'this router may not be used for the service'],
  tunneler: [refusalCode.tunnelingNotEnabled, 'this router has no tunneler'],
  policy: [refusalCode.invalidService, 'no policy lets the tunneler of this router do so'],
};

/**
 * The right that a client claims, once everything about it has been held against this state: the tokens, what they are of, and what `rightFaults` looks at.
 * @throws ClaimRefused
 */
export const rightOf = async (entities: Entities, core: Core, claim: TrafficClaim): Promise<TrafficRight> => {
  const { sessionToken, apiSessionToken, type, routerId } = claim;
  const claims = await readSessionToken(core, sessionToken);
  if (!claims) throw refused('session');
  if (claims.type !== type) throw new ClaimRefused(refusalCode.wrongSessionType, `this session is not for ${type.toLowerCase()}ing`);
  const of = await entities.get(apiSession, claims.apiSessionId);
  if (!of?.tokenHash || of.tokenHash !== hashToken(apiSessionToken)) throw refused('apiSession');
  const { sessionId, identityId, serviceId } = claims;
  return standing(entities, core, { sessionId, apiSessionId: of.id, identityId, serviceId, type, routerId });
};

/**
 * The right of a router that dials or binds a service by its own tunneler, held against this state likewise.
 * @throws ClaimRefused
 */
export const tunnelerRightOf = (
  entities: Entities,
  core: Core,
  of: Pick<TrafficRight, 'serviceId' | 'type' | 'routerId'>,
): Promise<TrafficRight> => standing(entities, core, { ...of, identityId: of.routerId, sessionId: '', apiSessionId: '' });

const standing = async (entities: Entities, core: Core, right: TrafficRight): Promise<TrafficRight> => {
  const now = isoTime(core.platform.clock.now());
  const fault = (await rightFaults(entities, core, [right], now)).get(right);
  if (fault) throw refused(fault);
  return right;
};

const refused = (fault: RightFault): ClaimRefused => new ClaimRefused(...REFUSALS[fault]);
