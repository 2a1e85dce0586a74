import type { Attribution } from '../../contract/api/kit/attribution.ts';
import { pause } from '../../runtime/platform/clock.ts';
import type { Platform } from '../../runtime/platform/platform.ts';
import { createRepeatedLog } from '../../runtime/platform/repeated-log.ts';
import type { Background, Job } from './background.ts';

/**
 * Work that is recorded in the store and processed in steps. Each step finds the remaining work in its own transaction, so several
 * controllers may run steps concurrently.
 */
export interface Drainage {
  readonly attribution: Attribution;
  /** @returns whether work may remain */
  step(job: Job): Promise<boolean>;
  /** The message to log if a step fails. The step is retried. */
  readonly failure: string;
}

/** Delay before a failed step is retried. ms */
const RETRY_DELAY = 1000;

/** @returns a function that starts a run; a run that is already in progress checks for work once more before it ends */
export const createDrain = (
  platform: Pick<Platform, 'clock' | 'logger'>,
  { attribution, step, failure }: Drainage,
): ((background: Background) => void) => {
  const log = createRepeatedLog(platform);
  let isRunning = false;
  let isRequested = false;

  const attempt = async (job: Job): Promise<boolean> => {
    try {
      return await step(job);
    } catch (error) {
      if (!job.signal.aborted) log('warn', failure, { error: String(error) });
      await pause(platform.clock, RETRY_DELAY, job.signal);
      return true;
    }
  };
  const run = async (job: Job): Promise<void> => {
    do {
      isRequested = false;
      while (!job.signal.aborted && (await attempt(job)));
    } while (isRequested && !job.signal.aborted);
    isRunning = false;
  };
  return (background) => {
    isRequested = true;
    if (isRunning) return;
    isRunning = true;
    // Rejects only if the controller is already closed.
    background.run(attribution, run).catch(() => undefined);
  };
};
