import { type CoreAnswer, type CoreRequest, consoleLogger, type Logger, splitTarget } from '../../src/adapter-kit.ts';

/** A controller, or a wrapper around its `handle`. */
export interface Handling {
  /** Answers a request. A controller's promise never rejects; if a wrapper's promise does, the client gets 500. */
  handle(request: CoreRequest): Promise<CoreAnswer>;
  /** Logs the error with which `handle` rejected. Every controller has a logger. Default: the console. */
  readonly logger?: Pick<Logger, 'error'>;
}

type FailedRequest = Pick<CoreRequest, 'requestId' | 'method' | 'target'>;

/**
 * Logs the error behind a 500 answer, with the request id of the answer. The controller handles its own errors, so this error comes from
 * the host's wrapper or from the bridge. The path is logged without its query, which may contain a token.
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
