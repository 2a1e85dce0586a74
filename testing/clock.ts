import type { Clock } from '../src/index.ts';

/** A clock that only the test advances. */
export interface TestClock extends Clock {
  after(milliseconds: number, task: () => void): () => void;
  /** `advance('31m')`; units ms, s, m, h, d. What was to happen meanwhile begins, in order, each at its time. */
  advance(by: string): void;
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * A clock for tests.
 * @param at where it stands at first, ISO text
 */
export const frozenClock = (at = '2026-11-21T10:00:00.000Z'): TestClock => {
  let now = Date.parse(at);
  const timers = new Set<{ readonly at: number; readonly task: () => void }>();
  const nextUntil = (end: number) => [...timers].filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
  return {
    now: () => now,
    after: (milliseconds, task) => {
      const timer = { at: now + milliseconds, task };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    advance: (by) => {
      const [, amount, unit] = /^(\d+)(ms|s|m|h|d)$/.exec(by) ?? [];
      const length = UNITS[unit ?? ''];
      if (length === undefined) throw new TypeError(`advance wants a duration such as 31m, got '${by}'`);
      const end = now + Number(amount) * length;
      for (let timer = nextUntil(end); timer; timer = nextUntil(end)) {
        timers.delete(timer);
        now = Math.max(now, timer.at);
        timer.task();
      }
      now = end;
    },
  };
};
