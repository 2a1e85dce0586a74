import type { Attribution } from '../contract/api/kit/attribution.ts';
import type { Operation } from '../contract/api/kit/operation.ts';
import type { HeaderValues } from '../contract/api/surfaces/http-output.ts';
import type { Credentials } from '../contract/api/surfaces/session-rule.ts';
import type { Surface } from '../contract/api/surfaces/surface.ts';
import type { Observation } from '../runtime/observability/observation.ts';
import type { Provenance } from '../store/changelog/log.ts';
import type { Entities } from '../store/entities/entities.ts';
import type { Actor } from './actor.ts';
import type { BrowserHeaders } from './call-source.ts';
import type { Core } from './core.ts';
import type { Grant } from './grant.ts';

/** An operation to execute within a call. */
export interface NestedOperation {
  /** Its name in the API: `identities.create`. */
  readonly operation: string;
  /** `{ ...path, ...query, body }` */
  readonly input: unknown;
  /** The version that the entity must have. Default: any. */
  readonly ifVersion?: number | undefined;
}

/** An identity that tries to log in. */
export interface AttemptedLogin {
  readonly identityId: string;
  /** Empty if the certificate of a CA names the identity by its external id. */
  readonly authenticatorId: string;
  readonly authPolicyId: string;
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
  /** True while the call has an open transaction: it must not wait for anything else now. */
  readonly holdsTransaction: boolean;
  /** True if the call reads a past state: it shows no credentials, and `now` is the time of that state. */
  readonly isPast: boolean;
  /** The current time of the clock, as ISO text. */
  now(): string;
  /** Runs `work` on one consistent state of the store. */
  read<T>(work: (entities: Entities) => Promise<T>): Promise<T>;
  /**
   * Like `read`, but for a call that has waited, or a stream whose answer has begun: checks the caller's permission again, in the new
   * transaction.
   */
  readReauthorized<T>(work: (entities: Entities) => Promise<T>): Promise<T>;
  /** Like `readReauthorized`, in one transaction for all calls that read at the same time. `work` runs once for those with the same key. */
  readTogether<T>(key: string, work: (entities: Entities) => Promise<T>): Promise<T>;
  /**
   * Writes atomically. Checks the caller's permission again in the transaction, and retries `work` once if it conflicted with another
   * write.
   */
  write<T>(work: (entities: Entities) => Promise<T>): Promise<T>;
  /**
   * Executes another operation with the rights of the caller, within a write of this call: it reads and writes in the transaction of
   * `entities`.
   * @returns its output, as for the host's own code
   * @throws ApiError `COULD_NOT_VALIDATE` for an operation that cannot be part of another; errors of the operation
   */
  invokeNested(entities: Entities, nested: NestedOperation): Promise<unknown>;
  /**
   * Runs `work` in one transaction with everything that the call reads and writes, then `gather` on the resulting state, and rolls the
   * transaction back. The function that `gather` returns runs afterwards, when it no longer blocks other writes.
   * @returns the result of that function
   * @throws TypeError if the call has joined a transaction, which it cannot roll back
   */
  rehearse<T, R>(work: () => Promise<T>, gather: (entities: Entities, result: T) => Promise<() => Promise<R>>): Promise<R>;
  /** Headers of the answer that the handler sets, e.g. `zt-session`; a list if a name has several values. */
  readonly answerHeaders: Map<string, HeaderValues[string]>;
  /** Milliseconds that the caller waits for the answer; undefined if it waits without a limit. */
  readonly timeLimit: number | undefined;
  /** Set by a login: the identity that tries to log in, and with what, if it is known. */
  attempted: AttemptedLogin | undefined;
  /** Set by a handler whose work continues after the answer: status 202, for an operation that declares it. */
  isAccepted: boolean;
}
