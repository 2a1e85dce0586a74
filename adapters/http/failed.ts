import { type CoreRequest, consoleLogger, splitTarget } from '../../src/adapter-kit.ts';
import type { Handling } from './handling.ts';

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
