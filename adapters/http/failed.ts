import { consoleLogger, splitTarget } from '../../src/adapter-kit.ts';
import type { Handling } from './handling.ts';

/**
 * Logs why a request is answered with 500. The controller answers its own errors, so this one comes from a wrapper of the host, or from the bridge.
 * The path is logged without its query, which may contain a token.
 */
export const logFailure = ({ logger = consoleLogger() }: Handling, method: string, target: string, error: unknown): void => {
  try {
    logger.error('a request was answered with 500, as its handling failed', {
      method,
      path: splitTarget(target).path.slice(0, 256),
      error,
    });
  } catch {
    // A logger that throws must not prevent the answer.
  }
};
