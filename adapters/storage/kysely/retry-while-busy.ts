import { performanceNow, setTimeout } from '../../../src/adapter-kit.ts';
import type { SqlEngine } from './engine/index.ts';

/** Maximum pause between two attempts, in milliseconds. */
const MAX_PAUSE = 50;

/**
 * Retries `attempt` with exponential backoff while it fails because of a lock, for at most `timeout` milliseconds or until `signal` is
 * aborted. If SQLite itself waited for the lock, it would block the event loop.
 */
export const retryWhileBusy = async <T>(
  engine: Pick<SqlEngine, 'failure'>,
  timeout: number,
  attempt: () => T | Promise<T>,
  signal?: AbortSignal,
): Promise<T> => {
  const deadline = performanceNow() + timeout;
  for (let pause = 1; ; pause = Math.min(2 * pause, MAX_PAUSE)) {
    try {
      return await attempt();
    } catch (error) {
      if (engine.failure(error)?.is !== 'busy' || performanceNow() + pause > deadline || signal?.aborted) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
};
