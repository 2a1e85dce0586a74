/** Waiting for a lock without blocking the event loop, as the engine's own waiting would. */
import type { SqlEngine } from './engine/index.ts';

const LONGEST_PAUSE = 50;

/** Runs `attempt` until it does not fail for a lock, with growing pauses, for at most `timeout` milliseconds, and not once `signal` is aborted. */
export const patiently = async <T>(
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
