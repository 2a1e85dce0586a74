import type { Clock } from '../src/index.ts';

/** A clock that only the test advances. */
export interface TestClock extends Clock {
  /**
   * Runs `task` once the test has advanced the clock by this time.
   * @returns a function that cancels the task
   */
  after(milliseconds: number, task: () => void): () => void;
  /**
   * Advances the clock, e.g. `advance('31m')`; the units are ms, s, m, h and d. Timers that expire run in order, each at its own time.
   */
  advance(duration: string): void;
  /**
   * Advances the clock as if the machine had been suspended: timers that have expired run at the end, once each. For long periods, in which
   * `advance` would run repeated timers many times.
   */
  suspend(duration: string): void;
  /** Like `advance`, but awaits `between` after each task, so that the work of one task ends before the next task starts. */
  advanceInSteps(duration: string, between: () => Promise<void>): Promise<void>;
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Parses a duration.
 * @returns milliseconds
 */
const millisecondsOf = (duration: string): number => {
  const [, amount, unit] = /^(\d+)(ms|s|m|h|d)$/.exec(duration) ?? [];
  const length = UNITS[unit ?? ''];
  if (length === undefined) throw new TypeError(`the clock requires a duration such as 31m, got '${duration}'`);
  return Number(amount) * length;
};

/**
 * Creates a clock that is stopped until the test advances it.
 * @param at the initial time, in ISO 8601. Default: a fixed time
 */
export const frozenClock = (at = '2026-11-21T10:00:00.000Z'): TestClock => {
  let now = Date.parse(at);
  const timers = new Set<{ readonly at: number; readonly task: () => void }>();
  /**
   * Runs the task that expires first.
   * @returns false if none expires by `end`
   */
  const step = (end: number): boolean => {
    let next: { readonly at: number; readonly task: () => void } | undefined;
    for (const timer of timers) if (timer.at <= end && (!next || timer.at < next.at)) next = timer;
    if (!next) return false;
    timers.delete(next);
    now = Math.max(now, next.at);
    next.task();
    return true;
  };
  return {
    now: () => now,
    after: (milliseconds, task) => {
      const timer = { at: now + milliseconds, task };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    advance: (duration) => {
      const end = now + millisecondsOf(duration);
      while (step(end));
      now = Math.max(now, end); // a task may have advanced the clock, too
    },
    suspend: (duration) => {
      now += millisecondsOf(duration);
      const due = [...timers].filter((timer) => timer.at <= now).sort((a, b) => a.at - b.at);
      for (const timer of due) if (timers.delete(timer)) timer.task();
    },
    advanceInSteps: async (duration, between) => {
      const end = now + millisecondsOf(duration);
      await between();
      while (step(end)) await between();
      now = Math.max(now, end);
      await between();
    },
  };
};
