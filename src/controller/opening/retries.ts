import type { Attribution } from '../../contract/api/kit/attribution.ts';
import { pause } from '../../runtime/platform/clock.ts';
import type { Platform } from '../../runtime/platform/platform.ts';
import { createRepeatedLog } from '../../runtime/platform/repeated-log.ts';
import type { Background } from '../../store/jobs/background.ts';

/** Delay after a failure. ms */
export const RETRY_MS = 5000;

/** Background work that is tried again after a failure, until the controller closes. */
export interface Retries {
  /** Starts work that handles its own failures. */
  start(work: (signal: AbortSignal) => Promise<void>): void;
  /** Runs `work` until it succeeds. */
  untilDone(signal: AbortSignal, work: () => Promise<void>): Promise<void>;
  /** Logs a failure, unless the work was aborted. */
  failed(error: unknown, signal?: AbortSignal): void;
}

/** @param failure the message of failures in the log */
export const createRetries = (
  platform: Pick<Platform, 'clock' | 'logger'>,
  background: () => Background,
  attribution: Attribution,
  failure: string,
): Retries => {
  const log = createRepeatedLog(platform);
  const failed: Retries['failed'] = (error, signal) => {
    if (!signal?.aborted) log('warn', failure, { error: String(error) });
  };
  return {
    failed,
    // Rejects only if the controller is already closed.
    start: (work) =>
      void background()
        .run(attribution, ({ signal }) => work(signal))
        .catch(() => undefined),
    untilDone: async (signal, work) => {
      while (!signal.aborted)
        try {
          return await work();
        } catch (error) {
          failed(error, signal);
          await pause(platform.clock, RETRY_MS, signal);
        }
    },
  };
};
