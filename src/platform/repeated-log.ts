import { boundedCache } from './bounded-cache.ts';
import type { Platform } from './platform.ts';

/** How often the same message is logged at most. ms */
const LOGGED_EVERY = 10_000;

/**
 * Logs a message; one that comes again within ten seconds is counted, and the next says how often that was (`failedSince`).
 * @param key groups failures that are counted together; default: the message
 */
export type RepeatedLog = (
  level: 'error' | 'warn' | 'info',
  message: string,
  details: Readonly<Record<string, unknown>>,
  key?: string,
) => void;

/** Maximum number of keys counted concurrently. */
const MOST = 1000;

/** A log for failures that repeat during a condition such as an outage of the store. */
export const createRepeatedLog = ({ clock, logger }: Pick<Platform, 'clock' | 'logger'>): RepeatedLog => {
  const logged = boundedCache<string, { readonly at: number; since: number }>(MOST);
  return (level, message, details, key = message) => {
    const last = logged.get(key);
    if (last && clock.now() - last.at < LOGGED_EVERY) {
      last.since++;
      return;
    }
    logger[level](message, last && last.since > 0 ? { ...details, failedSince: last.since } : details);
    logged.set(key, { at: clock.now(), since: 0 });
  };
};
