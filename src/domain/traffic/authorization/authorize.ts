import { apiSessionCertificate } from '../../../api/api-session-certificates.ts';
import { apiSession } from '../../../api/api-sessions.ts';
import type { RowOf } from '../../../api/kit/resource.ts';
import type { PolicyType } from '../../../api/policies.ts';
import { accessTokenIn, isOver, sessionOfToken } from '../../../authentication/bearer.ts';
import type { PresentedToken } from '../../../call/actor.ts';
import type { Core } from '../../../call/core.ts';
import type { Entities } from '../../../changes/entities.ts';
import { refusalCode } from '../../../control-channel/messages/circuits.ts';
import { isoTime } from '../../../platform/iso-time.ts';
import { and, equals, oneOf, stringField } from '../../../query/index.ts';
import { hashToken } from '../../../tokens/opaque.ts';
import { readSessionToken, type SessionClaims } from '../../sessions/sessions/token.ts';
import { type RightFault, rightFaults } from './authorization.ts';
import type { TrafficRight } from './right.ts';

/** What a client has told its router, which hands it on. */
export interface TrafficClaim {
  readonly sessionToken: string;
  readonly apiSessionToken: string;
  /** Of the certificates that the client has proved to the router, SHA-1 in hex. */
  readonly fingerprints: readonly string[];
  readonly type: PolicyType;
  readonly routerId: string;
}

/** A claim whose tokens have been verified as far as they themselves go. */
export interface ReadClaim extends TrafficClaim {
  readonly session: SessionClaims;
  /** Undefined where the token of the API session is no signed one. */
  readonly access: PresentedToken | undefined;
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

/** What a router is told about something that failed: why a claim does not hold, and nothing of anything else. */
export const refusalOf = (error: unknown): readonly [code: number, message: string] =>
  error instanceof ClaimRefused ? [error.code, error.message] : [refusalCode.internal, 'try again later'];

const REFUSALS: Readonly<Record<RightFault, readonly [code: number, message: string]>> = {
  apiSession: [refusalCode.invalidApiSession, 'invalid api session'],
  session: [refusalCode.invalidSession, 'invalid session'],
  service: [refusalCode.invalidService, 'invalid service'],
  router: [refusalCode.invalidEdgeRouter, 'this router may not be used for the service'],
  tunneler: [refusalCode.tunnelingNotEnabled, 'this router has no tunneler'],
  policy: [refusalCode.invalidService, 'no policy lets the tunneler of this router do so'],
};

/**
 * Verifies the tokens of a claim. Not inside of transactions, because keys may have to be read.
 * @throws ClaimRefused
 */
export const readClaim = async (core: Core, claim: TrafficClaim): Promise<ReadClaim> => {
  const session = await readSessionToken(core, claim.sessionToken);
  if (!session) throw refused('session');
  if (session.type !== claim.type)
    throw new ClaimRefused(refusalCode.wrongSessionType, `this session is not for ${claim.type.toLowerCase()}ing`);
  const now = isoTime(core.platform.clock.now());
  const access = session.isStored ? undefined : await accessTokenIn(core, claim.apiSessionToken, now);
  if (access && isOver(access, { now: () => now })) throw refused('apiSession');
  return { ...claim, session, access };
};

/**
 * The right that a client claims, once everything about it has been held against this state: what the tokens are of, and what `rightFaults` looks at.
 * @throws ClaimRefused
 */
export const rightOf = async (entities: Entities, core: Core, claim: ReadClaim): Promise<TrafficRight> => {
  const { type, routerId, session } = claim;
  const of = await (session.isStored ? ofOpaqueToken(entities, claim) : ofAccessToken(entities, core, claim));
  if (!of) throw refused('apiSession');
  const { sessionId, isStored, identityId, serviceId } = session;
  return standing(entities, core, { sessionId, isStored, apiSessionId: of.id, identityId, serviceId, type, routerId });
};

/** What a router claims for its own tunneler. */
export type TunnelerClaim = Pick<TrafficRight, 'serviceId' | 'type' | 'routerId'>;

/**
 * The right of a router that dials or binds a service by its own tunneler, held against this state likewise.
 * @throws ClaimRefused
 */
export const tunnelerRightOf = (entities: Entities, core: Core, claim: TunnelerClaim): Promise<TrafficRight> =>
  standing(entities, core, tunnelerRight(claim));

/** As it is claimed. */
export const tunnelerRight = (claim: TunnelerClaim): TrafficRight => ({
  ...claim,
  identityId: claim.routerId,
  sessionId: '',
  isStored: false,
  apiSessionId: '',
});

const standing = async (entities: Entities, core: Core, right: TrafficRight): Promise<TrafficRight> => {
  const now = isoTime(core.platform.clock.now());
  const fault = (await rightFaults(entities, core, [right], now)).get(right);
  if (fault) throw refused(fault);
  return right;
};

type ApiSession = RowOf<typeof apiSession>;

const ofOpaqueToken = async (entities: Entities, { session, apiSessionToken }: ReadClaim): Promise<ApiSession | undefined> => {
  const of = await entities.get(apiSession, session.apiSessionId);
  return of?.tokenHash && of.tokenHash === hashToken(apiSessionToken) ? of : undefined;
};

const ofAccessToken = async (entities: Entities, core: Core, claim: ReadClaim): Promise<ApiSession | undefined> => {
  const { access, session, fingerprints } = claim;
  const of = access?.sessionId === session.apiSessionId ? await sessionOfToken(entities, access) : undefined;
  const bound = core.provider?.bindsCertificates ? of?.bearer?.certificate : undefined;
  if (!of || !bound || fingerprints.includes(bound.fingerprint)) return of;
  const where = and(equals(stringField('apiSessionId'), of.id), oneOf(stringField('fingerprint'), fingerprints));
  return (await entities.find(apiSessionCertificate, where)) ? of : undefined;
};

const refused = (fault: RightFault): ClaimRefused => new ClaimRefused(...REFUSALS[fault]);
