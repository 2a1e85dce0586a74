import { every, monotonic } from '../platform/clock.ts';
import type { Clock } from '../platform/platform.ts';

/** The time after the start of a controller within which its routers are expected back: they connect again within about nine seconds. ms */
const EXPECTED_FOR = 15_000;
/** Maximum time that a call waits for them. ms */
const MAX_WAIT = 10_000;
/** Interval of checks. ms */
const CHECK_INTERVAL = 250;
/** Maximum number of calls that wait. Others are answered at once. */
const MAX_WAITING = 1000;

/** A call that waits. */
interface Waiting {
  readonly isBack: () => boolean;
  /** Monotonic time. ms */
  readonly until: number;
  readonly end: () => void;
}

/** The wait for routers that connect again after the start of a controller. */
export interface ExpectedRouters {
  /** True while routers are expected: in the first seconds of a controller that accepts routers. */
  readonly areExpected: boolean;
  /**
   * Notes that routers are accepted.
   * @returns a function that notes the end of this
   */
  accept(): () => void;
  /**
   * Waits until a router is back, for some seconds at most. Ends early if routers are no longer expected, or `signal` is aborted.
   * @param limit further limit of the time, in ms
   * @returns true if it has waited
   */
  wait(isBack: () => boolean, limit: number, signal: AbortSignal): Promise<boolean>;
  /** Ends all waiting. */
  close(): void;
}

/** @param refresh reads which routers are connected to other controllers, if that is due */
export const createExpectedRouters = (clock: Clock, refresh: () => Promise<void> | undefined): ExpectedRouters => {
  const expectedUntil = monotonic(clock) + EXPECTED_FOR;
  const waiting = new Set<Waiting>();
  let accepting = 0;
  let isClosed = false;
  let stopChecks: (() => void) | undefined;

  const areExpected = () => accepting > 0 && !isClosed && monotonic(clock) < expectedUntil;
  const endWaiting = (isOver: (one: Waiting) => boolean) => {
    for (const one of [...waiting]) if (isOver(one)) one.end();
  };
  const check = async () => {
    const now = monotonic(clock);
    endWaiting(({ isBack, until }) => now >= until || !areExpected() || isBack());
    // Not awaited: a store that fails or does not answer must not keep a call waiting. The next check sees what was read.
    refresh()?.catch(() => undefined);
  };

  return {
    get areExpected() {
      return areExpected();
    },
    accept: () => {
      accepting++;
      let hasEnded = false;
      return () => {
        if (hasEnded) return;
        hasEnded = true;
        accepting--;
        endWaiting(() => !areExpected());
      };
    },
    wait: async (isBack, limit, signal) => {
      if (!areExpected() || waiting.size >= MAX_WAITING || signal.aborted || isBack()) return false;
      await new Promise<void>((resolve) => {
        const one = {
          isBack,
          until: monotonic(clock) + Math.min(limit, MAX_WAIT),
          end: () => {
            waiting.delete(one);
            signal.removeEventListener('abort', one.end);
            if (waiting.size === 0) stopChecks?.();
            if (waiting.size === 0) stopChecks = undefined;
            resolve();
          },
        };
        waiting.add(one);
        signal.addEventListener('abort', one.end);
        stopChecks ??= every(clock, CHECK_INTERVAL, check);
      });
      return true;
    },
    close: () => {
      isClosed = true;
      endWaiting(() => true);
    },
  };
};
