import type { HeaderValues } from '../contract/api/surfaces/http-output.ts';
import type { UnreadAnswers } from './unread-answers.ts';

/**
 * HTTP as the core sees it: plain objects, so that an adapter needs no web-standard Request on the hot path.
 * An HTTP adapter converts the host's request to a `CoreRequest`, calls `handle()`, and writes the `CoreAnswer`.
 */
export interface CoreRequest {
  readonly method: string;
  /** Path and query as on the wire, e.g. `/edge/management/v1/identities?limit=5`, below the adapter's mount point. */
  readonly target: string;
  /** Header value by lower-case name; several headers of the same name are joined with `, `. */
  header(name: string): string | undefined;
  /**
   * Reads the body. Called at most once, and only after path, method and session were checked.
   * @throws BodyTooLarge once more than `limit` bytes have arrived, without reading on; BodyIncomplete if the client disconnected midway;
   * BodyTooSlow if it was aborted for arriving too slowly; Overloaded if it has arrived, but no request slot is free
   */
  body(limit: number): Promise<Uint8Array>;
  /** DER of the certificates that the client presented in the TLS handshake, leaf first. Not verified. */
  readonly peerCertificates?: readonly Uint8Array[];
  /** Address of the client, e.g. `127.0.0.1`. */
  readonly remoteAddress?: string;
  /** The host, with its port unless that is the default, according to the request, e.g. `acme.example.com`. */
  readonly host?: string | undefined;
  /** The path under which the host has mounted the controller, e.g. `/overlay`. `target` does not include it. Default: none. */
  readonly mount?: string | undefined;
  /** Aborted when the client disconnects. */
  readonly signal?: AbortSignal | undefined;
  /**
   * The host's id for the request, e.g. from its middleware. Ignored unless it is 1 to 128 visible ASCII characters. Default: the header
   * `x-request-id`.
   */
  readonly requestId?: string | undefined;
  /** Called once the credentials are verified, if they are those of an identity that owes no further factor. */
  readonly recognized?: ((identity: CoreIdentity) => void) | undefined;
  /** Bounds the host's answers that clients have not read yet. Default: an instance of the controller, with the default limits. */
  readonly unread?: UnreadAnswers | undefined;
}

/** The identity that sends a request. */
export interface CoreIdentity {
  readonly id: string;
  /** True if the request has all rights of an administrator, which limited API tokens and sessions that routers know do not have. */
  readonly isAdmin: boolean;
}

/** An answer: status, headers and body. */
export interface CoreAnswer {
  readonly status: number;
  /** Headers by lower-case name. A list is sent as several headers of the same name. */
  readonly headers: HeaderValues;
  /**
   * The whole body, or its parts if it is large or consists of Server-Sent Events. An adapter respects backpressure: it requests a part
   * only once the earlier parts have been taken, and calls `return()` once the client has disconnected. If the iterator throws, the answer
   * is cut off.
   */
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array>;
  /**
   * For a body in parts. Aborted if the client does not read it and the memory is needed: the rest is discarded, and the adapter must cut
   * off the answer.
   */
  readonly signal?: AbortSignal;
  /**
   * True for a body without an end, such as Server-Sent Events: it continues until the client disconnects or the server closes. Default
   * false.
   */
  readonly isEndless?: boolean;
}

/** Thrown by `CoreRequest.body` if the body exceeds the limit. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
}

/** Thrown by `CoreRequest.body` if the client disconnected before the end of the body. */
export class BodyIncomplete extends Error {
  override readonly name = 'BodyIncomplete';
}

/** Thrown by `CoreRequest.body` if the body arrives too slowly. */
export class BodyTooSlow extends Error {
  override readonly name = 'BodyTooSlow';
}

/** Thrown by `CoreRequest.body` if too many requests are being handled. */
export class Overloaded extends Error {
  override readonly name = 'Overloaded';
}
