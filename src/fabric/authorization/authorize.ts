import type { PresentedToken } from '../../call/actor.ts';
import { accessTokenIn, boundTo, isOver, sessionOfToken } from '../../call/authentication/bearer.ts';
import type { Core } from '../../call/core.ts';
import { apiSession, apiSessionCertificate } from '../../contract/api/kinds.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import type { PolicyType } from '../../contract/api/policies.ts';
import { hashToken } from '../../crypto/tokens/opaque.ts';
import { readSessionToken, type SessionClaims } from '../../identity/sessions/token.ts';
import { and, equals, oneOf, stringField } from '../../query/index.ts';
import { isoTime } from '../../runtime/platform/clock.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { refusalCode } from '../control-channel/messages/circuits.ts';
import { type Authorization, type DenialReason, tunnelerAuthorization, verdictsOf } from './authorization.ts';

/** The credentials of a client that asks to dial or bind, as forwarded by its router. */
export interface AccessRequest {
  readonly sessionToken: string;
  readonly apiSessionToken: string;
  /** Fingerprints of the certificates with which the client authenticated to the router. SHA-1, hex. */
  readonly fingerprints: readonly string[];
  readonly type: PolicyType;
  readonly routerId: string;
}

/** The credentials in a request. */
export type RequestTokens = Pick<AccessRequest, 'sessionToken' | 'apiSessionToken' | 'fingerprints'>;

/** A request with valid tokens, which is yet to be authorized. */
export interface VerifiedRequest extends AccessRequest {
  readonly session: SessionClaims;
  /** The verified access token; undefined if the session is stored, or if the API session token is not a valid access token. */
  readonly access: PresentedToken | undefined;
}

/** A router's request is refused. The message is sent to the client. */
export class RequestRefused extends Error {
  override readonly name = 'RequestRefused';
  /** See `refusalCode`. */
  readonly code: number;
  /** The right that was denied, and why; undefined for other refusals. Never sent to the client. */
  readonly denied: DeniedRight | undefined;

  /** @param cause of a failure to set up a circuit, as events name it, or the error behind it */
  constructor(code: number, message: string, cause?: unknown, denied?: DeniedRight) {
    super(message, { cause });
    this.code = code;
    this.denied = denied;
  }
}

/** A right that was denied to a client who is known. */
interface DeniedRight {
  readonly authorization: Authorization;
  readonly reason: DenialReason;
}

/** A granted right. */
export interface GrantedAuthorization extends Authorization {
  /** Ids of the service policies that grant it. */
  readonly grantedBy: readonly string[];
}

/** The code and message for a router whose request failed. Errors other than refusals are not disclosed. */
export const refusalOf = (error: unknown): readonly [code: number, message: string] =>
  error instanceof RequestRefused ? [error.code, error.message] : [refusalCode.internal, 'try again later'];

const REFUSALS: Readonly<Record<DenialReason, readonly [code: number, message: string]>> = {
  apiSession: [refusalCode.invalidApiSession, 'invalid api session'],
  session: [refusalCode.invalidSession, 'invalid session'],
  service: [refusalCode.invalidService, 'invalid service'],
  router: [refusalCode.invalidEdgeRouter, 'this router may not be used for the service'],
  tunneler: [refusalCode.tunnelingNotEnabled, 'this router has no tunneler'],
  policy: [refusalCode.invalidService, 'no policy allows this to the tunneler of the router'],
};

const refused = (reason: DenialReason, authorization?: Authorization): RequestRefused =>
  new RequestRefused(...REFUSALS[reason], undefined, authorization && { authorization, reason });

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

/** The credentials of a client that dials without a session. */
export interface SessionlessRequest extends Pick<AccessRequest, 'apiSessionToken' | 'fingerprints' | 'routerId'> {
  /** The identity of the client, according to its router. */
  readonly identityId: string;
  readonly serviceId: string;
}

/**
 * Verifies the token of an API session that dials without a session. Only the token determines the identity that dials: a router may not
 * dial for others (GHSA-7868-235p-7497). Must not be called in a transaction.
 * @throws RequestRefused
 */
export const verifySessionless = async (
  core: Core,
  { identityId, serviceId, ...request }: SessionlessRequest,
): Promise<VerifiedRequest> => {
  const now = isoTime(core.platform.clock.now());
  const access = await accessTokenIn(core, request.apiSessionToken, now);
  if (!access || isOver(access, { now: () => now }) || access.subject !== identityId) throw refused('apiSession');
  const { sessionId, subject } = access;
  // The API session takes the place of the session.
  const session: SessionClaims = { sessionId, isStored: false, apiSessionId: sessionId, identityId: subject, serviceId, type: 'Dial' };
  return { ...request, sessionToken: '', type: 'Dial', session, access };
};

/**
 * Authorizes a client that dials without a session, in the transaction of `entities`.
 * @throws RequestRefused
 */
export const authorizeSessionless = (entities: Entities, core: Core, request: VerifiedRequest): Promise<GrantedAuthorization> =>
  authorizeClient(entities, core, request, (reason, authorization) => refused(reason === 'session' ? 'service' : reason, authorization));

/**
 * Authorizes a client, in the transaction of `entities`.
 * @throws RequestRefused
 */
export const authorizeClient = async (
  entities: Entities,
  core: Core,
  request: VerifiedRequest,
  refusalFor = refused,
): Promise<GrantedAuthorization> => {
  const { type, routerId, session } = request;
  const apiSessionRow = await (session.isStored ? findByOpaqueToken(entities, request) : findByAccessToken(entities, core, request));
  if (!apiSessionRow) throw refused('apiSession');
  const { sessionId, isStored, identityId, serviceId } = session;
  const requested = { sessionId, isStored, apiSessionId: apiSessionRow.id, identityId, serviceId, type, routerId };
  return authorized(entities, core, requested, refusalFor);
};

/**
 * Authorizes the tunneler of a router, in the transaction of `entities`.
 * @throws RequestRefused
 */
export const authorizeTunneler = (
  entities: Entities,
  core: Core,
  requested: Parameters<typeof tunnelerAuthorization>[0],
): Promise<GrantedAuthorization> => authorized(entities, core, tunnelerAuthorization(requested));

const authorized = async (
  entities: Entities,
  core: Core,
  requested: Authorization,
  refusalFor = refused,
): Promise<GrantedAuthorization> => {
  const now = isoTime(core.platform.clock.now());
  const { denial, grantedBy = [] } = (await verdictsOf(entities, core, [requested], now)).get(requested) ?? {};
  if (denial) throw refusalFor(denial, requested);
  return { ...requested, grantedBy };
};

type ApiSession = RowOf<typeof apiSession>;

const findByOpaqueToken = async (entities: Entities, { session, apiSessionToken }: VerifiedRequest): Promise<ApiSession | undefined> => {
  const row = await entities.get(apiSession, session.apiSessionId);
  return row?.tokenHash && row.tokenHash === hashToken(apiSessionToken) ? row : undefined;
};

const findByAccessToken = async (entities: Entities, core: Core, request: VerifiedRequest): Promise<ApiSession | undefined> => {
  const { access, session, fingerprints } = request;
  const row = access?.sessionId === session.apiSessionId ? await sessionOfToken(entities, access) : undefined;
  if (!row || !access || !core.provider?.bindsCertificates || boundTo(access.claims).length === 0) return row;
  if (row.bearer?.certificate && fingerprints.includes(row.bearer.certificate.fingerprint)) return row;
  const where = and(equals(stringField('apiSessionId'), row.id), oneOf(stringField('fingerprint'), fingerprints));
  return (await entities.find(apiSessionCertificate, where)) ? row : undefined;
};
