import type { Platform } from './platform.ts';

/** How often the same message is logged at most. ms */
const LOGGED_EVERY = 10_000;

/** Logs a message; one that comes again within ten seconds is counted, and the next says how often that was (`failedSince`). */
export type RepeatedLog = (level: 'error' | 'warn' | 'info', message: string, details: Readonly<Record<string, unknown>>) => void;

/** A log for what fails again and again as long as something lasts, e.g. an outage of the store. */
export const createRepeatedLog = ({ clock, logger }: Pick<Platform, 'clock' | 'logger'>): RepeatedLog => {
  const logged = new Map<string, { readonly at: number; since: number }>();
  return (level, message, details) => {
    const last = logged.get(message);
    if (last && clock.now() - last.at < LOGGED_EVERY) {
      last.since++;
      return;
    }
    logger[level](message, last && last.since > 0 ? { ...details, failedSince: last.since } : details);
    logged.set(message, { at: clock.now(), since: 0 });
  };
};
