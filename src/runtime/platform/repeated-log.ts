import { boundedCache } from './bounded-cache.ts';
import type { Platform } from './platform.ts';

/** Minimum time between two log lines of one key. ms */
const LOG_INTERVAL = 10_000;

/**
 * Logs a message. Repetitions within ten seconds are only counted; the next line reports their number as `failedSince`.
 * @param key identifies the messages that are counted together. Default: the message
 */
export type RepeatedLog = (
  level: 'error' | 'warn' | 'info',
  message: string,
  details: Readonly<Record<string, unknown>>,
  key?: string,
) => void;

/** Maximum number of keys whose repetitions are counted. */
const MAX_KEYS = 1000;

/** Creates a log for failures that repeat, e.g. during an outage of the store. */
export const createRepeatedLog = ({ clock, logger }: Pick<Platform, 'clock' | 'logger'>): RepeatedLog => {
  const logged = boundedCache<string, { readonly at: number; repetitions: number }>(MAX_KEYS);
  return (level, message, details, key = message) => {
    const last = logged.get(key);
    if (last && clock.now() - last.at < LOG_INTERVAL) {
      last.repetitions++;
      return;
    }
    logger[level](message, last && last.repetitions > 0 ? { ...details, failedSince: last.repetitions } : details);
    logged.set(key, { at: clock.now(), repetitions: 0 });
  };
};
