import type { Attribution } from '../api/kit/attribution.ts';
import type { Operation } from '../api/kit/operation.ts';
import type { Page } from '../api/surfaces/answer.ts';
import type { HeaderValues } from '../api/surfaces/http-output.ts';
import type { SerializedJson } from '../api/surfaces/json-parts.ts';
import type { Credentials } from '../api/surfaces/session-rule.ts';
import type { Surface } from '../api/surfaces/surface.ts';
import type { Change } from '../changelog/events.ts';
import type { Provenance } from '../changelog/log.ts';
import type { Entities } from '../entities/entities.ts';
import type { Observation } from '../observability/observation.ts';
import type { Actor } from './actor.ts';
import type { Core } from './core.ts';
import type { Grant } from './grant.ts';
import type { Past } from './past.ts';

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

/**
 * Implements an operation: takes the decoded input and returns the declared output. If the JSON text of the output, or of the items of a page, is cached, it
 * returns the text instead.
 */
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
  /** The host's own name for the actor. Default: the name that the actor has here. */
  readonly actor?: string | undefined;
  readonly surface: Surface;
  /** The surfaces that are mounted where the call comes from. Default: all. */
  readonly mounted?: readonly Surface[] | undefined;
  /** Where the call comes from. Default: `facade`. */
  readonly origin?: Provenance['origin'] | undefined;
  readonly credentials: Credentials;
  /** Waits until the call may be answered. Called outside of transactions. @param session id of the session, if the credentials contain it */
  admit?(session: string | undefined): Promise<void> | undefined;
  /** Refuses the call before the operation, e.g. because the client would accept no answer. Called once the session has been checked. */
  refusal?(): Error | undefined;
  /**
   * The raw input, `{ ...path, ...query, body }`. Called once the session has been checked; may throw `ApiError`.
   * @param isLarge true if its body may be larger than others. Default: false
   */
  input(isLarge?: boolean): unknown | Promise<unknown>;
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
  /** The media type that the client prefers among those that the operation offers. Default: the first. */
  readonly mediaType?: string | undefined;
  /** Undefined in process. */
  readonly browser?: BrowserHeaders | undefined;
  readonly signal?: AbortSignal;
  /** Milliseconds after which the caller gets TIMEOUT. Default: never. */
  readonly timeLimit?: number;
  /** The host's open transaction, to be joined. */
  readonly hostTransaction?: unknown;
  /** The past state that the call reads. Default: the present one. */
  readonly past?: Past | undefined;
  /** True if the call is only to say what it would do: everything that it writes is rolled back. */
  readonly isPreview?: boolean | undefined;
  /** Chosen by the caller: another call with the same key gets the answer of this one. Default: none. */
  readonly idempotencyKey?: string | undefined;
  /** True if a write may break policy tests. */
  readonly overridesTests?: boolean | undefined;
  /** How much access a write may take away; undefined for any. */
  readonly maxLost?: number | undefined;
  /** The work that this call is part of; undefined for a call of its own. */
  readonly whole?: Whole | undefined;
  /** Records the call for the host's observer; undefined if there is none. */
  readonly observation?: Observation | undefined;
  /** The headers of the answer that the call sets, for a source that sends some of them with a refusal. */
  readonly answerHeaders?: Call['answerHeaders'];
}

/** Work in one transaction, with calls as its parts. */
export interface Whole {
  /** The transaction, in which all reads and writes of its parts happen. */
  readonly entities: Entities;
  /** The answers of the host's code to its parts; undefined in a transaction of the host, where that code runs at once. */
  readonly answers?: HostAnswers;
  /** Called with what a part has written, and with the right by which it did. */
  onWritten?(changes: readonly Change[], grant: Grant): void;
}

/**
 * Answers of the host's code to the parts of a call. That code does not run while the transaction of the call is open, because it may write through the controller,
 * and would wait for the transaction. A part with an unanswered question goes on provisionally; then the transaction is rolled back, the host's code runs, and the
 * transaction runs again. Time and random values are the same in all runs, so that new entities keep their ids, and the questions about them their answers.
 */
export interface HostAnswers {
  /** The services of the controller, with random values that are the same in each run. */
  readonly core: Core;
  /** The time at which the first run began, as ISO text. */
  readonly now: string;
  /** True if the present run has unanswered questions, so that it will be rolled back. */
  readonly isIncomplete: boolean;
  /**
   * @param question what the answer depends on, as JSON. The same question is asked again for each part that has it
   * @param ask runs the host's code, outside of transactions
   * @returns the answer; undefined if there is none yet
   */
  answer<T>(question: readonly unknown[], ask: () => Promise<T>): Promise<T> | undefined;
}

/** An operation to carry out as part of a call. */
export interface Part {
  /** Its name in the API: `identities.create`. */
  readonly operation: string;
  /** `{ ...path, ...query, body }` */
  readonly input: unknown;
  /** The version that the entity must have. Default: any. */
  readonly ifVersion?: number | undefined;
}

/** A call in progress: its actor, its input from the transport, and its access to the store. */
export interface Call {
  readonly actor: Actor;
  readonly grant: Grant;
  readonly operation: Operation;
  readonly requestId: string;
  /** The attribution of the change records that the call writes. */
  readonly attribution: Attribution;
  /** Where these change records come from. */
  readonly provenance: Provenance;
  readonly surface: Surface;
  /** The surfaces that are mounted where the call comes from. */
  readonly mounted: readonly Surface[];
  /** The names of the body's fields as the caller sent them, with those that decoding drops. */
  readonly bodyFields: readonly string[];
  readonly core: Core;
  readonly credentials: Credentials;
  readonly peerCertificates: readonly Uint8Array[];
  readonly remoteAddress: string;
  readonly host: string | undefined;
  readonly mount: string;
  readonly contentType: string | undefined;
  readonly mediaType: string | undefined;
  readonly browser: BrowserHeaders | undefined;
  /** Records the call for the host's observer; undefined if there is none. */
  readonly observation: Observation | undefined;
  /** Aborted when the client disconnects or the time limit is reached: nothing is committed after that. */
  readonly signal: AbortSignal;
  /** True if the call has joined a transaction of the host. */
  readonly isJoined: boolean;
  /** True if a transaction is open that the call reads or writes in: it must not wait for anything else now. */
  readonly holdsTransaction: boolean;
  /** True if the call reads a past state: it shows no credentials, and `now` is the time of that state. */
  readonly isPast: boolean;
  /** The current time of the clock, as ISO text. */
  now(): string;
  /** Runs `work` on one consistent state of the store. */
  read<T>(work: (entities: Entities) => Promise<T>): Promise<T>;
  /** Like `read`, but for a call that has waited, or a stream whose answer has begun: checks the caller's permission again, in the new transaction. */
  readOn<T>(work: (entities: Entities) => Promise<T>): Promise<T>;
  /** Like `readOn`, in one transaction for all calls that read at the same time. `work` runs once for those with the same key. */
  readTogether<T>(key: string, work: (entities: Entities) => Promise<T>): Promise<T>;
  /** Writes atomically. Checks the caller's permission again in the transaction, and retries `work` once if it conflicted with another write. */
  write<T>(work: (entities: Entities) => Promise<T>): Promise<T>;
  /**
   * Carries out another operation with the rights of the caller, within a write of this call: everything that it reads and writes happens in the transaction
   * of `entities`.
   * @returns its output, as for the host's own code
   * @throws ApiError `COULD_NOT_VALIDATE` for an operation that cannot be part of another; errors of the operation
   */
  carryOut(entities: Entities, part: Part): Promise<unknown>;
  /**
   * Runs `work` with everything that the call reads and writes in one transaction, then `gather` on the state that this leads to, and rolls it all back. What
   * `gather` returned runs afterwards, when no other write waits for it.
   * @returns what that returns
   * @throws TypeError if the call has joined a transaction, which it cannot roll back
   */
  rehearse<T, R>(work: () => Promise<T>, gather: (entities: Entities, result: T) => Promise<() => Promise<R>>): Promise<R>;
  /** Headers of the answer that the handler sets, e.g. `zt-session`; a list if a name has several values. */
  readonly answerHeaders: Map<string, HeaderValues[string]>;
  /** Milliseconds that the caller waits for the answer; undefined if it waits without a limit. */
  readonly timeLimit: number | undefined;
  /** Set by a login: id of the identity that the caller tries to be, if it is known. */
  attemptedId: string | undefined;
  /** Set by a handler whose work continues after the answer: status 202, for an operation that declares it. */
  isAccepted: boolean;
}

export interface CallResult {
  readonly output: unknown;
  readonly headers: ReadonlyMap<string, HeaderValues[string]>;
  /** True if the work continues after the answer. */
  readonly isAccepted?: boolean;
  /** True if `output` is a preview. */
  readonly isPreview?: boolean;
  /** The caller. */
  readonly actor?: Actor;
}

export type Invoke = (entry: Entry, source: CallSource) => Promise<CallResult>;
