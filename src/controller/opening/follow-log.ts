import { monotonic } from '../../runtime/platform/clock.ts';
import type { Clock } from '../../runtime/platform/platform.ts';
import type { Background } from '../../store/jobs/background.ts';

/** Age after which a call that reads past the cache follows the change log again. ms */
const STALE_AFTER = 1000;
const ORIGIN = { actor: 'system', requestId: 'follow-log' } as const;

/**
 * Follows the change log for a call that reads past the cache, unless this was done within the last second.
 * @returns a promise that never rejects; undefined if nothing had to be read
 */
export type FollowLog = () => Promise<void> | undefined;

export const createFollowLog = (clock: Clock, background: Background): FollowLog => {
  let following: Promise<void> | undefined;
  let followedAt = Number.NEGATIVE_INFINITY;
  return () => {
    const at = monotonic(clock);
    if (at - followedAt < STALE_AFTER) return undefined;
    return (following ??= background
      .run(ORIGIN, ({ read }) => read((entities) => entities.revision()))
      // The store is unavailable, which the call will report, or the controller is closing.
      .catch(() => undefined)
      .then(() => {
        followedAt = at;
        following = undefined;
      }));
  };
};
