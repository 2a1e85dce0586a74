import type * as z from 'zod';
import type { authenticationMethod } from '../api/authentication.ts';
import type { Attribution } from '../api/kit/attribution.ts';
import type { ErrorCode } from '../errors/index.ts';
import type { TokenFault } from '../tokens/verifier.ts';

/** The kind of actor of a call: anonymous, an identity without or with administrator rights, or the host's own code. */
export type ActorKind = 'anonymous' | 'identity' | 'administrator' | 'system';

/** The argument of an observer. Events contain no secrets, names, paths or queries. */
export type ObservedEvent = OperationEvent | AuthenticationEvent | AuthorizationEvent;

/** A call was answered, over HTTP or in process. Also a request that matches no operation. */
export interface OperationEvent extends Pick<Attribution<ActorKind>, 'actor' | 'requestId'> {
  readonly type: 'operation';
  readonly transport: 'http' | 'process';
  /** HTTP method; `_OTHER` for an unknown one. */
  readonly method: string;
  /** E.g. `patchIdentity`. This and the next three are undefined for a request that matches no operation. */
  readonly operationId: string | undefined;
  /** Its name in the API, e.g. `identities.patch`. */
  readonly operation: string | undefined;
  /** Name of the API, e.g. `management`. */
  readonly surface: string | undefined;
  /** Template of the path, e.g. `/edge/management/v1/identities/{id}`: never the path itself. */
  readonly route: string | undefined;
  /** HTTP status; in process the one that HTTP would have given. */
  readonly status: number;
  /** Error code of a refusal. A request with a malformed escape in its path is refused without one. */
  readonly code: ErrorCode | undefined;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** Milliseconds until the answer; for streams, such as Server-Sent Events, until they began. */
  readonly durationMs: number;
  /** Part of `durationMs` spent in queues: for writes, enrollments, password checks, and reads on few connections. */
  readonly queuedMs: number;
  /** Statements sent to the store. */
  readonly statements: number;
  /** Rows read or written. */
  readonly rows: number;
  /** Request header (W3C Trace Context). */
  readonly traceparent: string | undefined;
  readonly tracestate: string | undefined;
}

/** A security event, limited in rate. */
interface SecurityEvent extends Pick<Attribution, 'requestId'> {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Client address from the HTTP adapter; empty in process. */
  readonly remoteAddress: string;
  /** The identity concerned, if known. */
  readonly identityId: string | undefined;
  /** Events of the same type and outcome that were dropped since the last one: at most 100 in ten seconds are emitted. */
  readonly omitted: number;
}

/** Login method (as `method` of `authentication.authenticate`), code of a second factor (`mfa`), or token of an API session (`token`). */
export type AuthenticationMethod = z.infer<typeof authenticationMethod> | 'mfa' | 'token';

/**
 * Why a token of an external JWT signer was refused, as a login or as a second factor. `missing`: there was none; `malformed`: it is no signed JWT that
 * names its key; `issuer`: no signer has its issuer; `signer-disabled`; `key`: the signer has no key of that name for its algorithm; `signature`;
 * `audience`; `expired`; `not-yet-valid`; `claim`: it has no end, or no text in the signer's `claimsProperty`; `unknown`: no identity has the id that it
 * names; `disabled`: the identity is disabled; `policy`: its auth policy does not allow tokens of the signer; `changed`: the signer was changed at the
 * same time. Of a second factor: `other-signer`, `other-identity`.
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
 * Why an authentication failed. `unknown`: no such identity; `credentials`: they are wrong; `not-allowed`: the identity is disabled or locked, or its auth
 * policy forbids the method; `invalid-token`: the API session is unknown, expired or ended. Of the method `ext-jwt`: a `TokenRefusal`.
 */
export type AuthenticationFailure = 'unknown' | 'credentials' | 'not-allowed' | 'invalid-token' | TokenRefusal;

/** An authentication attempt, or a lockout. Only this event distinguishes the reasons of failures: clients get the same answer for all. */
export interface AuthenticationEvent extends SecurityEvent {
  readonly type: 'authentication';
  readonly method: AuthenticationMethod;
  /** `locked`: too many wrong passwords have disabled the identity. The last one is also emitted as `failed`. */
  readonly outcome: 'succeeded' | 'failed' | 'locked';
  /** Only for `failed`. */
  readonly reason: AuthenticationFailure | undefined;
  /** Only for `failed` with the method `ext-jwt`: id of the external JWT signer of the token, if one has its issuer. */
  readonly signerId: string | undefined;
}

/** A known actor was denied an operation. */
export interface AuthorizationEvent extends SecurityEvent, Pick<Attribution<ActorKind>, 'actor'> {
  readonly type: 'authorization';
  readonly outcome: 'denied';
  readonly operationId: string;
}

/**
 * An observer: called synchronously for each event, after the answer is known and before it is sent, so keep it fast. A returned promise is not awaited.
 * If it throws or rejects, the error is logged and the call is not affected.
 */
export type Observe = (event: ObservedEvent) => unknown;
