import type { Clock } from '../src/index.ts';

/** A clock that stands still until it is told to go on. */
export interface TestClock extends Clock {
  /** `advance('31m')`; units ms, s, m, h, d. */
  advance(by: string): void;
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * A clock for tests.
 * @param at where it stands at first, ISO text
 */
export const frozenClock = (at = '2026-11-21T10:00:00.000Z'): TestClock => {
  let now = Date.parse(at);
  return {
    now: () => now,
    advance: (by) => {
      const [, amount, unit] = /^(\d+)(ms|s|m|h|d)$/.exec(by) ?? [];
      const length = UNITS[unit ?? ''];
      if (length === undefined) throw new TypeError(`advance wants a duration such as 31m, got '${by}'`);
      now += Number(amount) * length;
    },
  };
};
