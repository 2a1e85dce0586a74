import { send } from './node-answer.ts';
import { type HostRequest, hostRequestId, type NodeIncoming, type NodeOutgoing } from './node-request.ts';
import { createNodeStreams } from './node-stream.ts';
import { isApiError, REPRESENTATION_HEADERS } from './own-errors.ts';

/** Nothing is streamed. */
const SENDING = { streams: createNodeStreams(), last: false } as const;

/** Answers an error of the API. @returns whether it is one, and can still be answered: else nothing was done */
export const answerError = (error: unknown, host: HostRequest): boolean => {
  const { res } = host;
  if (res.headersSent || !isApiError(error)) return false;
  const answer = error.toAnswer({ requestId: hostRequestId(host) });
  // A tick later, when a body that came with the headers has come.
  process.nextTick(() => {
    if (res.headersSent) return;
    for (const name of REPRESENTATION_HEADERS) res.removeHeader(name);
    send(host, answer, SENDING);
  });
  return true;
};

/**
 * Wraps one of the host's listeners for `http`, `https` or `http2`: an `ApiError` that it throws is answered as the controller answers it, with its status, the
 * envelope, `Retry-After` and headers against caching and sniffing. Of all other errors, and once headers were sent, the promise rejects.
 *
 * ```ts
 * http.createServer(nodeErrorHandler(async (req, res) => { ... }));
 * ```
 */
export const nodeErrorHandler =
  <Args extends readonly [req: NodeIncoming, res: NodeOutgoing, ...more: unknown[]]>(
    listener: (...args: Args) => unknown,
  ): ((...args: Args) => Promise<void>) =>
  async (...args) => {
    try {
      await listener(...args);
    } catch (error) {
      const [req, res] = args;
      if (!answerError(error, { req, res })) throw error;
    }
  };
