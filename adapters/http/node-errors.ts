import { send } from './node-answer.ts';
import { type HostRequest, hostRequestId, type NodeIncoming, type NodeOutgoing } from './node-request.ts';
import { createNodeStreams } from './node-stream.ts';
import { isApiError, REPRESENTATION_HEADERS, type RefusalOptions } from './own-errors.ts';

/** Error answers are never streamed. */
const SENDING = { streams: createNodeStreams(), last: false } as const;

/**
 * Answers an `ApiError`.
 * @returns false, and does nothing, if it is another error or if headers have been sent
 */
export const answerError = (error: unknown, host: HostRequest, options?: RefusalOptions): boolean => {
  const { res } = host;
  if (res.headersSent || !isApiError(error)) return false;
  const answer = error.toAnswer({ ...options, requestId: hostRequestId(host) });
  // Deferred by a tick, after which a body that arrived with the headers has been read.
  process.nextTick(() => {
    if (res.headersSent) return;
    for (const name of REPRESENTATION_HEADERS) res.removeHeader(name);
    send(host, answer, SENDING);
  });
  return true;
};

/**
 * Wraps one of the host's own listeners for `http`, `https` or `http2`. If it throws an `ApiError`, answers as the controller would: with
 * the error's status, the envelope, `Retry-After`, and headers that prevent caching and MIME sniffing. The promise rejects with any other
 * error, and with every error once headers have been sent.
 *
 * ```ts
 * http.createServer(nodeErrorHandler(async (req, res) => { ... }));
 * ```
 */
export const nodeErrorHandler =
  <Args extends readonly [req: NodeIncoming, res: NodeOutgoing, ...more: unknown[]]>(
    listener: (...args: Args) => unknown,
    options?: RefusalOptions,
  ): ((...args: Args) => Promise<void>) =>
  async (...args) => {
    try {
      await listener(...args);
    } catch (error) {
      const [req, res] = args;
      if (!answerError(error, { req, res }, options)) throw error;
    }
  };
