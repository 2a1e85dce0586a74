import { isoTime } from '../platform/clock.ts';
import type { Clock } from '../platform/platform.ts';

/** How far stamps may run ahead of the clock. ms */
const MAX_AHEAD = 10;

/**
 * Times of writes, as ISO text. Writes that follow each other within one millisecond get times that follow each other too, so that
 * sorting by `createdAt` gives the order of creation; a burst shares a time rather than run far ahead of the clock.
 */
export const createStamps = (clock: Clock): (() => string) => {
  let last = 0;
  return () => {
    const now = clock.now();
    last = last < now || last - now > MAX_AHEAD ? now : Math.min(last + 1, now + MAX_AHEAD);
    return isoTime(last);
  };
};
