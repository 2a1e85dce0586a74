import type { HeaderValues } from '../api/surfaces/http-output.ts';
import type { UnreadAnswers } from './unread-answers.ts';

/**
 * HTTP as the core sees it: plain objects, so that an adapter needs no web-standard Request on the hot path.
 * An HTTP adapter converts the host's request to a `CoreRequest`, calls `handle()`, and writes the `CoreAnswer`.
 */
export interface CoreRequest {
  readonly method: string;
  /** Path and query as on the wire, e.g. `/edge/management/v1/identities?limit=5`, below the adapter's mount point. */
  readonly target: string;
  /** Header value by lower-case name; several headers of one name joined by `, `. */
  header(name: string): string | undefined;
  /**
   * Reads the body. Called at most once, and only after path, method and session were checked.
   * @throws BodyTooLarge once more than `limit` bytes have arrived, without reading on; BodyIncomplete if the client disconnected midway;
   * BodyTooSlow when it was aborted for arriving too slowly; Overloaded when it has arrived, but no request slot is free
   */
  body(limit: number): Promise<Uint8Array>;
  /** DER of the certificates that the client presented in the TLS handshake, leaf first. Not verified. */
  readonly peerCertificates?: readonly Uint8Array[];
  /** Address of the client, e.g. `127.0.0.1`. */
  readonly remoteAddress?: string;
  /** Host, and port if it is not the usual one, that the request was made to, e.g. `acme.example.com`, as the client says. */
  readonly host?: string | undefined;
  /** The path below which the host has mounted the controller, which `target` lacks, e.g. `/overlay`. Default: none. */
  readonly mount?: string | undefined;
  /** Aborted when the client goes away. */
  readonly signal?: AbortSignal | undefined;
  /** The host's id for the request, e.g. from its middleware. Ignored unless it is 1 to 128 visible ASCII characters. Default: the header `x-request-id`. */
  readonly requestId?: string | undefined;
  /** Bounds the answers of the host that clients have not read yet. Default: those of the controller, with the default limits. */
  readonly unread?: UnreadAnswers | undefined;
}

/** An answer: status, headers and body. */
export interface CoreAnswer {
  readonly status: number;
  /** Lower-case names. A list is sent as several headers of the name. */
  readonly headers: HeaderValues;
  /**
   * Whole, or in parts, as large ones and Server-Sent Events are. An adapter asks for the next part only when those before have been taken, and calls
   * `return()` once the client has disconnected. If the iterator throws, the answer is cut off.
   */
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array>;
  /** For a body in parts. Aborted when the client does not read them and the memory is needed: the rest is discarded, and the adapter must cut off the answer. */
  readonly signal?: AbortSignal;
  /** True for a body that lasts until the client disconnects, such as Server-Sent Events: it ends when the server closes. Default false. */
  readonly isEndless?: boolean;
}

/** Thrown by `CoreRequest.body` when it exceeds the limit. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
}

/** Thrown by `CoreRequest.body` when the client disconnected in the middle. */
export class BodyIncomplete extends Error {
  override readonly name = 'BodyIncomplete';
}

/** Thrown by `CoreRequest.body` when it arrives too slowly. */
export class BodyTooSlow extends Error {
  override readonly name = 'BodyTooSlow';
}

/** Thrown by `CoreRequest.body` when too many requests are being handled. */
export class Overloaded extends Error {
  override readonly name = 'Overloaded';
}
