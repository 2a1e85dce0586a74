import { isoTime } from '../../runtime/platform/clock.ts';
import type { Clock } from '../../runtime/platform/platform.ts';

/** Maximum time by which stamps may be ahead of the clock. ms */
const MAX_AHEAD = 10;

/**
 * Creates a function that returns the times of writes, as ISO text. Writes within the same millisecond get increasing times, so that
 * sorting by `createdAt` gives the order of creation. In a burst, writes share a time rather than running far ahead of the clock.
 */
export const createStamps = (clock: Clock): (() => string) => {
  let last = 0;
  return () => {
    const now = clock.now();
    last = last < now || last - now > MAX_AHEAD ? now : Math.min(last + 1, now + MAX_AHEAD);
    return isoTime(last);
  };
};
