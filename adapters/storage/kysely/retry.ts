/** Waits for locks by retrying, because SQLite's own waiting would block the event loop. */
import type { SqlEngine } from './engine/index.ts';

/** ms */
const LONGEST_PAUSE = 50;

/** Retries `attempt` with growing pauses while it fails because of a lock, for at most `timeout` milliseconds or until `signal` is aborted. */
export const retryWhileBusy = async <T>(
  engine: Pick<SqlEngine, 'failure'>,
  timeout: number,
  attempt: () => T | Promise<T>,
  signal?: AbortSignal,
): Promise<T> => {
  const deadline = Date.now() + timeout;
  for (let pause = 1; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
    try {
      return await attempt();
    } catch (error) {
      if (engine.failure(error)?.is !== 'busy' || Date.now() + pause > deadline || signal?.aborted) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
};
