import type * as z from 'zod';
import type { authenticationMethod } from '../../contract/api/authentication.ts';
import type { Attribution } from '../../contract/api/kit/attribution.ts';
import type { ErrorCode } from '../../contract/errors/index.ts';

/** The kind of actor that made a call. `administrator` is an identity with administrator rights; `system` is the code of the host. */
export type ActorKind = 'anonymous' | 'identity' | 'administrator' | 'system';

/** The argument of an observer. Events contain no secrets, names, paths or queries. */
export type ObservedEvent = OperationEvent | AuthenticationEvent | AuthorizationEvent;

/** A call was answered, over HTTP or in process. Requests that match no operation are included. */
export interface OperationEvent extends Pick<Attribution<ActorKind>, 'actor' | 'requestId'> {
  readonly type: 'operation';
  readonly transport: 'http' | 'process';
  /** HTTP method; `_OTHER` for an unknown one. */
  readonly method: string;
  /** E.g. `patchIdentity`. This and the next three properties are undefined for a request that matches no operation. */
  readonly operationId: string | undefined;
  /** Name of the operation in the API, e.g. `identities.patch`. */
  readonly operation: string | undefined;
  /** Name of the API surface, e.g. `management`. */
  readonly surface: string | undefined;
  /** Template of the path, e.g. `/edge/management/v1/identities/{id}`; never the path itself. */
  readonly route: string | undefined;
  /** HTTP status; for an in-process call, the equivalent one. */
  readonly status: number;
  /** Error code, if the call failed. A request with a malformed escape sequence in its path is rejected without one. */
  readonly code: ErrorCode | undefined;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** Milliseconds until the answer; for streams, such as Server-Sent Events, until they started. */
  readonly durationMs: number;
  /** Part of `durationMs` spent waiting in queues, such as those for writes, enrollments, password checks and database connections. */
  readonly queuedMs: number;
  /** Number of statements sent to the store. */
  readonly statements: number;
  /** Number of rows read or written. */
  readonly rows: number;
  /** The request header `traceparent` (W3C Trace Context). */
  readonly traceparent: string | undefined;
  /** The request header `tracestate` (W3C Trace Context). */
  readonly tracestate: string | undefined;
}

/** A security event. These events are rate-limited. */
interface SecurityEvent extends Pick<Attribution, 'requestId'> {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Client address from the HTTP adapter; empty for in-process calls. */
  readonly remoteAddress: string;
  /** Id of the identity concerned, if known. */
  readonly identityId: string | undefined;
  /** Number of events of the same type and outcome that were dropped since the last one. At most 100 are emitted in ten seconds. */
  readonly omitted: number;
}

/**
 * A login method (the `method` of `authentication.authenticate`), the code of a second factor (`mfa`), or the token of an API session
 * (`token`).
 */
export type AuthenticationMethod = z.infer<typeof authenticationMethod> | 'mfa' | 'token';

/** Why a token cannot be verified. */
export type TokenFault = 'issuer' | 'audience' | 'expired' | 'not-yet-valid' | 'claim' | 'signer-disabled' | 'key' | 'signature';

/**
 * Why a token of an external JWT signer was rejected, as a login or as a second factor. `missing`: no token was sent; `malformed`: the
 * token is not a signed JWT with a key id; `issuer`: no signer has its issuer; `signer-disabled`; `key`: the signer has no key with this id
 * for the algorithm; `signature`; `audience`; `expired`; `not-yet-valid`; `claim`: the token has no expiry, or no string in the signer's
 * `claimsProperty`; `unknown`: no identity has the id in that claim; `disabled`: the identity is disabled; `policy`: its auth policy does
 * not allow tokens of the signer; `changed`: the signer was changed concurrently. Only for a second factor: `other-signer`,
 * `other-identity`.
 */
export type TokenRefusal =
  | 'missing'
  | 'malformed'
  | TokenFault
  | 'unknown'
  | 'disabled'
  | 'policy'
  | 'changed'
  | 'other-signer'
  | 'other-identity';

/**
 * Why an authentication failed. `unknown`: the identity does not exist; `credentials`: the credentials are wrong; `not-allowed`: the
 * identity is disabled or locked, or its auth policy forbids the method; `invalid-token`: the API session is unknown, expired or ended. For
 * the method `ext-jwt`: a `TokenRefusal`.
 */
export type AuthenticationFailure = 'unknown' | 'credentials' | 'not-allowed' | 'invalid-token' | TokenRefusal;

/**
 * An authentication attempt, or a lockout. Only this event distinguishes the reasons for failures: clients get the same answer for all
 * reasons.
 */
export interface AuthenticationEvent extends SecurityEvent {
  readonly type: 'authentication';
  readonly method: AuthenticationMethod;
  /** `locked`: the identity was disabled after too many wrong passwords. The last attempt is also emitted as `failed`. */
  readonly outcome: 'succeeded' | 'failed' | 'locked';
  /** Only for `failed`. */
  readonly reason: AuthenticationFailure | undefined;
  /** Only for `failed` with the method `ext-jwt`: id of the external JWT signer with the issuer of the token, if it exists. */
  readonly signerId: string | undefined;
}

/** A known actor was denied an operation. */
export interface AuthorizationEvent extends SecurityEvent, Pick<Attribution<ActorKind>, 'actor'> {
  readonly type: 'authorization';
  readonly outcome: 'denied';
  readonly operationId: string;
}

/**
 * An observer is called synchronously for each event, after the answer is determined and before it is sent, so keep it fast. A returned
 * promise is not awaited. If the observer throws or rejects, the error is logged and the call is not affected.
 */
export type Observe = (event: ObservedEvent) => unknown;
