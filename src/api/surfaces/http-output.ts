/** Values of headers by lower-case name. A list is sent as several headers of one name, e.g. `set-cookie` or `link`. */
export type HeaderValues = Readonly<Record<string, string | readonly string[]>>;

/** The output of an operation whose answer is `response`: the parts of HTTP that it needs. */
export interface HttpOutput {
  /** Default: that of the operation, or else 200. */
  readonly status?: number;
  readonly headers?: HeaderValues;
  /** Required if there is a body. */
  readonly contentType?: string;
  /**
   * A whole body, or a stream with backpressure: the next part is requested once the client has taken the previous ones. It is given up by
   * `return()` when the client goes away, and must settle once `call.signal` is aborted.
   */
  readonly body?: string | Uint8Array | AsyncIterable<string | Uint8Array>;
}

/** A Server-Sent Event (HTML Living Standard, 9.2). Without data it only sets the id from which a client resumes. */
export interface ServerSentEvent<T = string> {
  /** Text of any number of lines; any other value is written as JSON. */
  readonly data?: T;
  /** Its type; default `message`. One line. */
  readonly event?: string;
  /** Sent back as `last-event-id` by a client that reconnects. One line. */
  readonly id?: string;
  /** Milliseconds after which a client that was cut off connects again. */
  readonly retry?: number;
}

/** A redirect (RFC 9110, 15.4). 302 changes POST to GET in browsers, 303 always does, 307 and 308 never do. */
export const redirect = (location: string, { status = 302, headers = {} }: RedirectOptions = {}): HttpOutput => ({
  status,
  headers: { ...headers, location },
});

interface RedirectOptions {
  readonly status?: 301 | 302 | 303 | 307 | 308;
  readonly headers?: HeaderValues;
}
