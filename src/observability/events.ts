import type { ErrorCode } from '../errors/index.ts';

/** Who made a call: nobody who is known, an identity without or with the rights of an administrator, or the host's own code. */
export type ActorKind = 'anonymous' | 'identity' | 'administrator' | 'system';

/** What an observer is told. Events hold no secrets, no names and no addresses beyond what their fields say. */
export type ObservedEvent = OperationEvent | AuthenticationEvent | AuthorizationEvent;

/** A call that was answered, over HTTP or in process. Also a request that leads to no operation. */
export interface OperationEvent {
  readonly type: 'operation';
  /** By which logs, errors and change records know the call. */
  readonly requestId: string;
  readonly transport: 'http' | 'process';
  /** Of HTTP; one that is not registered is `_OTHER`. */
  readonly method: string;
  /** E.g. `patchIdentity`; undefined for a request that leads to no operation, as the four that follow. */
  readonly operationId: string | undefined;
  /** Of the facade, e.g. `identities`. */
  readonly group: string | undefined;
  /** Name of the API, e.g. `management`. */
  readonly surface: string | undefined;
  /** Template of the path, e.g. `/edge/management/v1/identities/{id}`: never the path itself. */
  readonly route: string | undefined;
  /** Of the answer over HTTP; in process the one that it would have had. */
  readonly status: number;
  /** Of the error, if the call was refused. A request whose path holds a malformed escape is refused without one. */
  readonly code: ErrorCode | undefined;
  readonly actor: ActorKind;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** Milliseconds until there was an answer. What is sent as it is made, as Server-Sent Events are, has one when it begins. */
  readonly durationMs: number;
  /** Those of them spent waiting for a turn: to write, to enroll, to have a password checked, to read where connections are few. */
  readonly queuedMs: number;
  /** Requests to the store. */
  readonly statements: number;
  /** Rows that the store gave or changed. */
  readonly rows: number;
  /** The header of the request (W3C Trace Context), if it had one. */
  readonly traceparent: string | undefined;
  readonly tracestate: string | undefined;
}

/** A security event. Of a flood the first are reported, and how many were left out. */
interface SecurityEvent {
  readonly requestId: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Of the client, as the HTTP adapter knows it; empty in process. */
  readonly remoteAddress: string;
  /** Of whom it is about, where that is known. */
  readonly identityId: string | undefined;
  /** Events of the same type and outcome that were left out since the last one: 100 in ten seconds are reported. */
  readonly omitted: number;
}

/** How somebody proves an identity: a way to log in, a code of a second factor, the token of an API session. */
export type AuthenticationMethod = 'password' | 'cert' | 'ext-jwt' | 'mfa' | 'token';

/**
 * Why an authentication failed: there is no such identity; what was presented does not prove it; it may not log in now or in this way (disabled, locked, or
 * not allowed by its policy); the API session of the token is unknown, has expired or was ended.
 */
export type AuthenticationFailure = 'unknown' | 'credentials' | 'not-allowed' | 'invalid-token';

/** An attempt to prove an identity, or the lockout that followed from one. Its failures are told apart here only: clients get one answer for all. */
export interface AuthenticationEvent extends SecurityEvent {
  readonly type: 'authentication';
  readonly method: AuthenticationMethod;
  /** `locked`: too many wrong passwords have disabled the identity. The last of them is reported as `failed`, too. */
  readonly outcome: 'succeeded' | 'failed' | 'locked';
  /** Of one that failed. */
  readonly reason: AuthenticationFailure | undefined;
}

/** A call by a known actor who lacks the right to it. */
export interface AuthorizationEvent extends SecurityEvent {
  readonly type: 'authorization';
  readonly outcome: 'denied';
  readonly operationId: string;
  readonly actor: ActorKind;
}

/**
 * Is told of each event at once, after the answer is known and before it is sent: it should be quick. One that is asynchronous is not waited for. What it
 * throws, or rejects with, is logged and harms no call.
 */
export type Observe = (event: ObservedEvent) => unknown;
