import type { HeaderValues } from '../api/surfaces/http-output.ts';

/**
 * HTTP as the core sees it: plain objects, so that an adapter needs no web-standard Request on the hot path.
 * A host's adapter turns its own request into a `CoreRequest`, calls `handle()`, and writes the `CoreAnswer`.
 */
export interface CoreRequest {
  readonly method: string;
  /** Path and query as on the wire, e.g. `/edge/management/v1/identities?limit=5`, below the adapter's mount point. */
  readonly target: string;
  /** Header value by lower-case name; several headers of one name joined by `, `. */
  header(name: string): string | undefined;
  /**
   * Reads the body. Called at most once, and not before the path, the method and the session are known to be good.
   * @throws BodyTooLarge once more than `limit` bytes have come, without reading on; BodyIncomplete when the client stopped in the middle; BodyTooSlow
   * when it was cut off for coming too slowly; Overloaded when it has come, and there is no room to go on.
   */
  body(limit: number): Promise<Uint8Array>;
  /** DER of the certificates that the client presented in the TLS handshake, leaf first. Not verified by anybody. */
  readonly peerCertificates?: readonly Uint8Array[];
  /** Address of the client, e.g. `127.0.0.1`. */
  readonly remoteAddress?: string;
  /** Aborted when the client goes away. */
  readonly signal?: AbortSignal;
  /** By which the host knows the request, e.g. from its own middleware. Ignored unless it is 1 to 128 visible ASCII characters. Default: the header `x-request-id`. */
  readonly requestId?: string | undefined;
}

/** An answer: status, headers and body. */
export interface CoreAnswer {
  readonly status: number;
  /** Lower-case names. A list is sent as several headers of the name. */
  readonly headers: HeaderValues;
  /**
   * Whole, or sent as it is made, as Server-Sent Events are. An adapter asks for the next bytes only when those before have been taken, and calls
   * `return()` once the client has gone or the server closes. An iterator that throws breaks the answer off.
   */
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array>;
}

/** What `CoreRequest.body` throws when more comes than may. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
}

/** What `CoreRequest.body` throws when the client stopped in the middle. */
export class BodyIncomplete extends Error {
  override readonly name = 'BodyIncomplete';
}

/** What `CoreRequest.body` throws when the adapter waits no longer. */
export class BodyTooSlow extends Error {
  override readonly name = 'BodyTooSlow';
}

/** What `CoreRequest.body` throws when as many requests are handled as may be. */
export class Overloaded extends Error {
  override readonly name = 'Overloaded';
}
