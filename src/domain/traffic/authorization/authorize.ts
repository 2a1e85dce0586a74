import { apiSession, apiSessionCertificate } from '../../../api/kinds.ts';
import type { RowOf } from '../../../api/kit/index.ts';
import type { PolicyType } from '../../../api/policies.ts';
import { accessTokenIn, isOver, sessionOfToken } from '../../../authentication/bearer.ts';
import type { PresentedToken } from '../../../call/actor.ts';
import type { Core } from '../../../call/core.ts';
import { refusalCode } from '../../../control-channel/messages/circuits.ts';
import type { Entities } from '../../../entities/entities.ts';
import { isoTime } from '../../../platform/clock.ts';
import { and, equals, oneOf, stringField } from '../../../query/index.ts';
import { hashToken } from '../../../tokens/opaque.ts';
import { readSessionToken, type SessionClaims } from '../../sessions/sessions/token.ts';
import { type Authorization, type DenialReason, denialsOf, tunnelerAuthorization } from './authorization.ts';

/** The credentials of a client that requests to dial or bind, as passed on by its router. */
export interface AccessRequest {
  readonly sessionToken: string;
  readonly apiSessionToken: string;
  /** Fingerprints of the certificates by which the client has authenticated to the router. SHA-1, hex. */
  readonly fingerprints: readonly string[];
  readonly type: PolicyType;
  readonly routerId: string;
}

/** The tokens of a request. */
export type RequestTokens = Pick<AccessRequest, 'sessionToken' | 'apiSessionToken' | 'fingerprints'>;

/** A request whose tokens are valid in themselves. */
export interface VerifiedRequest extends AccessRequest {
  readonly session: SessionClaims;
  /** Undefined if the token of the API session is not a signed one. */
  readonly access: PresentedToken | undefined;
}

/** A router's request is refused. The message is sent to the client. */
export class RequestRefused extends Error {
  override readonly name = 'RequestRefused';
  /** See `refusalCode`. */
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Code and message for a router whose request has failed: the reason of a refusal, and nothing about other errors. */
export const refusalOf = (error: unknown): readonly [code: number, message: string] =>
  error instanceof RequestRefused ? [error.code, error.message] : [refusalCode.internal, 'try again later'];

const REFUSALS: Readonly<Record<DenialReason, readonly [code: number, message: string]>> = {
  apiSession: [refusalCode.invalidApiSession, 'invalid api session'],
  session: [refusalCode.invalidSession, 'invalid session'],
  service: [refusalCode.invalidService, 'invalid service'],
  router: [refusalCode.invalidEdgeRouter, 'this router may not be used for the service'],
  tunneler: [refusalCode.tunnelingNotEnabled, 'this router has no tunneler'],
  policy: [refusalCode.invalidService, 'no policy lets the tunneler of this router do so'],
};

const refused = (reason: DenialReason): RequestRefused => new RequestRefused(...REFUSALS[reason]);

/**
 * Verifies the tokens of a request. Must not be called in a transaction, because keys may have to be fetched.
 * @throws RequestRefused
 */
export const verifyTokens = async (core: Core, request: AccessRequest): Promise<VerifiedRequest> => {
  const session = await readSessionToken(core, request.sessionToken);
  if (!session) throw refused('session');
  if (session.type !== request.type)
    throw new RequestRefused(refusalCode.wrongSessionType, `this session is not for ${request.type.toLowerCase()}ing`);
  const now = isoTime(core.platform.clock.now());
  const access = session.isStored ? undefined : await accessTokenIn(core, request.apiSessionToken, now);
  if (access && isOver(access, { now: () => now })) throw refused('apiSession');
  return { ...request, session, access };
};

/**
 * Authorizes a client in this state.
 * @throws RequestRefused
 */
export const authorizeClient = async (entities: Entities, core: Core, request: VerifiedRequest): Promise<Authorization> => {
  const { type, routerId, session } = request;
  const found = await (session.isStored ? byOpaqueToken(entities, request) : byAccessToken(entities, core, request));
  if (!found) throw refused('apiSession');
  const { sessionId, isStored, identityId, serviceId } = session;
  return authorized(entities, core, { sessionId, isStored, apiSessionId: found.id, identityId, serviceId, type, routerId });
};

/**
 * Authorizes the tunneler of a router in this state.
 * @throws RequestRefused
 */
export const authorizeTunneler = (
  entities: Entities,
  core: Core,
  requested: Parameters<typeof tunnelerAuthorization>[0],
): Promise<Authorization> => authorized(entities, core, tunnelerAuthorization(requested));

const authorized = async (entities: Entities, core: Core, wanted: Authorization): Promise<Authorization> => {
  const now = isoTime(core.platform.clock.now());
  const reason = (await denialsOf(entities, core, [wanted], now)).get(wanted);
  if (reason) throw refused(reason);
  return wanted;
};

type ApiSession = RowOf<typeof apiSession>;

const byOpaqueToken = async (entities: Entities, { session, apiSessionToken }: VerifiedRequest): Promise<ApiSession | undefined> => {
  const row = await entities.get(apiSession, session.apiSessionId);
  return row?.tokenHash && row.tokenHash === hashToken(apiSessionToken) ? row : undefined;
};

const byAccessToken = async (entities: Entities, core: Core, request: VerifiedRequest): Promise<ApiSession | undefined> => {
  const { access, session, fingerprints } = request;
  const row = access?.sessionId === session.apiSessionId ? await sessionOfToken(entities, access) : undefined;
  const bound = core.provider?.bindsCertificates ? row?.bearer?.certificate : undefined;
  if (!row || !bound || fingerprints.includes(bound.fingerprint)) return row;
  const where = and(equals(stringField('apiSessionId'), row.id), oneOf(stringField('fingerprint'), fingerprints));
  return (await entities.find(apiSessionCertificate, where)) ? row : undefined;
};
