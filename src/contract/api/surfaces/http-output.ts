/** Header values, by lower-case name. A list is sent as several headers with that name, e.g. `set-cookie` or `link`. */
export type HeaderValues = Readonly<Record<string, string | readonly string[]>>;

/** The output of an operation whose answer is `response`. */
export interface HttpOutput {
  /** Default: the status of the operation, or else 200. */
  readonly status?: number;
  readonly headers?: HeaderValues;
  /** Required if there is a body. */
  readonly contentType?: string;
  /**
   * A complete body, or a stream with backpressure: the next chunk is requested once the client has received the previous ones. If the
   * client disconnects, the stream is closed with `return()`. It must settle once `call.signal` is aborted.
   */
  readonly body?: string | Uint8Array | AsyncIterable<string | Uint8Array>;
}

/** A Server-Sent Event (HTML Living Standard, 9.2). Without data it only sets the id from which a client resumes. */
export interface ServerSentEvent<T = string> {
  /** Text, which may have several lines. Any other value is sent as JSON. */
  readonly data?: T;
  /** Type of the event, without line breaks. Default: `message`. */
  readonly event?: string;
  /** Id of the event, without line breaks. A client that reconnects sends it back as `last-event-id`. */
  readonly id?: string;
  /** Delay before a disconnected client reconnects, in milliseconds. */
  readonly retry?: number;
}

/**
 * Creates a redirect (RFC 9110, 15.4). Default status: 302. In browsers, 302 changes POST to GET; 303 always does, 307 and 308 never do.
 */
export const redirect = (location: string, { status = 302, headers = {} }: RedirectOptions = {}): HttpOutput => ({
  status,
  headers: { ...headers, location },
});

interface RedirectOptions {
  readonly status?: 301 | 302 | 303 | 307 | 308;
  readonly headers?: HeaderValues;
}
