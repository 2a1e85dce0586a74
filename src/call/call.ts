import type { Attribution } from '../api/kit/attribution.ts';
import type { Operation } from '../api/kit/operation.ts';
import type { Page } from '../api/surfaces/answer.ts';
import type { HeaderValues } from '../api/surfaces/http-output.ts';
import type { SerializedJson } from '../api/surfaces/json-parts.ts';
import type { Credentials } from '../api/surfaces/session-rule.ts';
import type { Surface } from '../api/surfaces/surface.ts';
import type { Entities } from '../entities/entities.ts';
import type { Observation } from '../observability/observation.ts';
import type { Actor } from './actor.ts';
import type { Core } from './core.ts';
import type { Grant } from './grant.ts';

export type { Credentials };

/** An operation with its place in the API and the function that carries it out. */
export interface Entry {
  /** `identities` */
  readonly group: string;
  /** `patch` */
  readonly verb: string;
  readonly operation: Operation;
  readonly handler: Handler;
}

/** Implements an operation: takes the decoded input, returns the declared output, or its JSON text, or that of a page's items, if that is cached. */
export type Handler<I = never, O = unknown> = (
  call: Call,
  input: I,
) => Promise<O | SerializedJson | (O extends Page<infer T> ? Page<T | SerializedJson> : never)>;

/** The headers in which a browser reports a request's origin. */
export interface BrowserHeaders {
  /** `origin`: of the page that sends the request (RFC 6454, section 7). */
  readonly origin: string | undefined;
  /** `sec-fetch-site`: how that page relates to this site (Fetch Metadata Request Headers, 2.1). */
  readonly fetchSite: string | undefined;
  /** `cookie` (RFC 6265, 5.4). */
  readonly cookie: string | undefined;
}

/** The source of a call: an HTTP request, or the host's own code. */
export interface CallSource extends Omit<Attribution, 'actor'> {
  /** The host's own name for who acts. Default: the actor's own. */
  readonly actor?: string | undefined;
  readonly surface: Surface;
  readonly credentials: Credentials;
  /** Waits until the answer may be made. Called outside of transactions. @param session id of the session, if the credentials name it */
  admit?(session: string | undefined): Promise<void> | undefined;
  /** Refuses the call before the operation, e.g. because no answer would be accepted. Called once the session has been checked. */
  refusal?(): Error | undefined;
  /** The raw input, `{ ...path, ...query, body }`. Called once the session is known to be good; may throw `ApiError`. */
  input(): unknown | Promise<unknown>;
  /** The acceptable versions of the entity; undefined for any. Read only for conditional operations. */
  expectedVersions?(): readonly number[] | undefined;
  /** DER of the client's TLS certificates, leaf first. */
  readonly peerCertificates?: readonly Uint8Array[];
  readonly remoteAddress?: string;
  /** The host through which the client claims to have reached the controller: `name` or `name:port`. Default: that of `settings.address`. */
  readonly host?: string | undefined;
  /** The path below which the host has mounted the controller, e.g. `/overlay`. Default: none. */
  readonly mount?: string;
  /** The media type of the body. Default: JSON. */
  readonly contentType?: string | undefined;
  /** The media type, of those that the operation offers, that the client likes best. Default: the first. */
  readonly mediaType?: string | undefined;
  /** Undefined in process. */
  readonly browser?: BrowserHeaders | undefined;
  readonly signal?: AbortSignal;
  /** Milliseconds after which the caller gets TIMEOUT. Default: never. */
  readonly timeLimit?: number;
  /** The host's open transaction, to be joined. */
  readonly hostTransaction?: unknown;
  /** Collects facts about the call for the host's observer; undefined if there is none. */
  readonly observation?: Observation | undefined;
}

/** A call in progress: its actor, its input from the transport, and its access to the store. */
export interface Call {
  readonly actor: Actor;
  readonly grant: Grant;
  readonly operation: Operation;
  readonly requestId: string;
  /** The actor that its change records name. */
  readonly attribution: Attribution;
  readonly surface: Surface;
  readonly core: Core;
  readonly credentials: Credentials;
  readonly peerCertificates: readonly Uint8Array[];
  readonly remoteAddress: string;
  readonly host: string | undefined;
  readonly mount: string;
  readonly contentType: string | undefined;
  readonly mediaType: string | undefined;
  readonly browser: BrowserHeaders | undefined;
  /** Collects facts about the call for the host's observer; undefined if there is none. */
  readonly observation: Observation | undefined;
  /** Aborted when the client disconnects or the time limit is reached: nothing is committed after that. */
  readonly signal: AbortSignal;
  /** True if the call has joined a transaction of the host. */
  readonly isJoined: boolean;
  /** The current time of the clock, as ISO text. */
  now(): string;
  /** One consistent state to read from. */
  read<T>(work: (entities: Entities) => Promise<T>): Promise<T>;
  /** Like `read`, but for a stream whose answer has begun: a new transaction, in which the caller's permission is checked again. */
  readOn<T>(work: (entities: Entities) => Promise<T>): Promise<T>;
  /** All or nothing. The actor's right is checked again inside; run again once when another write came first. */
  write<T>(work: (entities: Entities) => Promise<T>): Promise<T>;
  /** Headers of the answer that the handler sets, e.g. `zt-session`; a list for several of one name. */
  readonly answerHeaders: Map<string, HeaderValues[string]>;
  /** Milliseconds that the caller waits for the answer; undefined for one that waits for as long as it takes. */
  readonly timeLimit: number | undefined;
  /** Set by a handler whose work continues after the answer: status 202, for an operation that declares it. */
  isAccepted: boolean;
}

export interface CallResult {
  readonly output: unknown;
  readonly headers: ReadonlyMap<string, HeaderValues[string]>;
  /** True if the work continues after the answer. */
  readonly isAccepted?: boolean;
  /** The caller. */
  readonly actor?: Actor;
}

export type Invoke = (entry: Entry, source: CallSource) => Promise<CallResult>;
