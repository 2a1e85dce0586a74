import { consoleLogger } from '../../src/adapter-kit.ts';
import type { Handling } from './handling.ts';

/**
 * Writes down why a request is answered with 500: the controller answers its own errors, so that this one is of what a host has put around it, or of the
 * bridge. Where the request goes, without its query, for that may hold a token.
 */
export const logFailure = ({ logger = consoleLogger() }: Handling, method: string, target: string, error: unknown): void => {
  try {
    logger.error('a request was answered with 500, as its handling failed', {
      method,
      path: target.replace(/\?.*$/s, '').slice(0, 256),
      error,
    });
  } catch {
    // The answer does not hang on the log.
  }
};
