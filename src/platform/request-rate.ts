import { monotonic } from './clock.ts';
import type { Clock } from './platform.ts';

const MINUTE_MS = 60_000;

/** Counts requests: a token bucket that holds those of a minute. */
export interface RequestRate {
  /** @returns 0 when the request may be answered, otherwise the seconds until the next one may be */
  take(perMinute: number | null | undefined): number;
}

export const createRequestRate = (clock: Clock): RequestRate => {
  /** Requests of the minute that are used up, also after a change of the quota. */
  let used = 0;
  let last = monotonic(clock);
  return {
    take: (perMinute) => {
      const now = monotonic(clock);
      if (perMinute == null) return 0;
      used = Math.max(0, used - (Math.max(0, now - last) * perMinute) / MINUTE_MS);
      last = now;
      if (used + 1 <= perMinute) {
        used++;
        return 0;
      }
      return ((used + 1 - perMinute) / perMinute) * 60;
    },
  };
};
