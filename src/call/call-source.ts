import type { Attribution } from '../contract/api/kit/attribution.ts';
import type { HeaderValues } from '../contract/api/surfaces/http-output.ts';
import type { Credentials } from '../contract/api/surfaces/session-rule.ts';
import type { Surface } from '../contract/api/surfaces/surface.ts';
import type { Observation } from '../runtime/observability/observation.ts';
import type { Provenance } from '../store/changelog/log.ts';
import type { Actor } from './actor.ts';
import type { EnclosingTransaction } from './enclosing-transaction.ts';
import type { Past } from './past.ts';

/** The headers with which a browser identifies itself and the page that sends a request. */
export interface BrowserHeaders {
  /** `origin`: of the page that sends the request (RFC 6454, section 7). */
  readonly origin: string | undefined;
  /** `sec-fetch-site`: how that page relates to this site (Fetch Metadata Request Headers, 2.1). */
  readonly fetchSite: string | undefined;
  /** The header `Accept-Language`. */
  readonly languages?: string | undefined;
  /** `cookie` (RFC 6265, 5.4). */
  readonly cookie: string | undefined;
}

/** The source of a call: an HTTP request, or the host's own code. */
export interface CallSource extends Omit<Attribution, 'actor'> {
  /** The host's own name for the actor. Default: `actorId`. */
  readonly actor?: string | undefined;
  readonly surface: Surface;
  /** The surfaces that are mounted where the call comes from. Default: all. */
  readonly mounted?: readonly Surface[] | undefined;
  /** Where the call comes from. Default: `facade`. */
  readonly origin?: Provenance['origin'] | undefined;
  readonly credentials: Credentials;
  /**
   * Waits until the call may be answered. Called outside of transactions.
   * @param session id of the session, if the credentials contain it
   */
  admit?(session: string | undefined): Promise<void> | undefined;
  /** Called once the caller is authenticated. */
  recognize?(actor: Actor): void;
  /** Why the call is refused, e.g. because the client accepts no available media type. Called once the session has been checked. */
  refusal?(): Error | undefined;
  /**
   * The raw input, `{ ...path, ...query, body }`. Called once the session has been checked; may throw `ApiError`.
   * @param isLarge true if the higher size limit applies to its body. Default: false
   */
  input(isLarge?: boolean): unknown | Promise<unknown>;
  /** The acceptable versions of the entity; undefined for any. Read only for conditional operations. */
  expectedVersions?(): readonly number[] | undefined;
  /** DER of the client's TLS certificates, leaf first. */
  readonly peerCertificates?: readonly Uint8Array[];
  readonly remoteAddress?: string;
  /**
   * The host through which the client claims to have reached the controller: `name` or `name:port`. Default: that of `settings.address`.
   */
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
  /** True if the call only reports its effects: everything that it writes is rolled back. */
  readonly isPreview?: boolean | undefined;
  /** Chosen by the caller: another call with the same key gets the answer of this one. Default: none. */
  readonly idempotencyKey?: string | undefined;
  /** True if a write may make policy tests fail. */
  readonly overridesTests?: boolean | undefined;
  /** The amount of access that a write may take away; undefined for any. */
  readonly maxLost?: number | undefined;
  /** The transaction of the call that this one is nested in; undefined for a call that is not nested. */
  readonly enclosing?: EnclosingTransaction | undefined;
  /** Records the call for the host's observer; undefined if there is none. */
  readonly observation?: Observation | undefined;
  /** Collects the headers of the answer, for a source that also sends some of them with an error. */
  readonly answerHeaders?: Map<string, HeaderValues[string]>;
}
