import type { Clock } from '../src/index.ts';

/** A clock that only the test advances. */
export interface TestClock extends Clock {
  /** Runs `task` once, when the test has let so much time pass. @returns what calls it off */
  after(milliseconds: number, task: () => void): () => void;
  /** `advance('31m')`; units ms, s, m, h, d. Timers that become due start in order, each at its time. */
  advance(by: string): void;
  /** Lets time pass as on a machine that was suspended: timers that are due by its end run then, once each. For long times: `advance` runs what repeats each time. */
  suspend(by: string): void;
  /** Like `advance`, but awaits `between` after each task, so that the work of one ends before the next begins. */
  advanceInSteps(by: string, between: () => Promise<void>): Promise<void>;
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** @returns milliseconds */
const lengthOf = (duration: string): number => {
  const [, amount, unit] = /^(\d+)(ms|s|m|h|d)$/.exec(duration) ?? [];
  const length = UNITS[unit ?? ''];
  if (length === undefined) throw new TypeError(`advance needs a duration such as 31m, got '${duration}'`);
  return Number(amount) * length;
};

/**
 * A clock for tests.
 * @param at the initial time, ISO text
 */
export const frozenClock = (at = '2026-11-21T10:00:00.000Z'): TestClock => {
  let now = Date.parse(at);
  const timers = new Set<{ readonly at: number; readonly task: () => void }>();
  /** Runs the task that is due first, if one is. */
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
    advance: (by) => {
      const end = now + lengthOf(by);
      while (step(end));
      now = end;
    },
    suspend: (by) => {
      now += lengthOf(by);
      const due = [...timers].filter((timer) => timer.at <= now).sort((a, b) => a.at - b.at);
      for (const timer of due) if (timers.delete(timer)) timer.task();
    },
    advanceInSteps: async (by, between) => {
      const end = now + lengthOf(by);
      await between();
      while (step(end)) await between();
      now = Math.max(now, end);
      await between();
    },
  };
};
