import { type CoreAnswer, type CoreRequest, consoleLogger, type Logger, splitTarget } from '../../src/adapter-kit.ts';

/** A controller, or a wrapper around its `handle`. */
export interface Handling {
  /** Answers a request. A controller never rejects. If a wrapper does, the client gets 500. */
  handle(request: CoreRequest): Promise<CoreAnswer>;
  /** Logs why `handle` rejected. A controller has one; default: the console. */
  readonly logger?: Pick<Logger, 'error'>;
}

type FailedRequest = Pick<CoreRequest, 'requestId' | 'method' | 'target'>;

/**
 * Logs why a request is answered with 500, under the request id of that answer. The controller answers its own errors, so this one comes from a wrapper of the
 * host, or from the bridge. The path is logged without its query, which may contain a token.
 */
export const logFailure = ({ logger = consoleLogger() }: Handling, { requestId, method, target }: FailedRequest, error: unknown): void => {
  try {
    logger.error('unexpected error while handling a request, which was answered with 500', {
      requestId,
      method,
      path: splitTarget(target).path.slice(0, 256),
      error,
    });
  } catch {
    // A logger that throws must not prevent the answer.
  }
};
