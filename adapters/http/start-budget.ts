import { setImmediate } from 'node:timers';
import { performanceNow } from '../../src/adapter-kit.ts';

/** Milliseconds within one turn of the event loop after which no further request starts. */
const BUDGET_MS = 20;

/**
 * Spreads requests over turns of the event loop. If many arrive in one turn, starting all of them in it would block the process.
 * @param now returns the time in milliseconds
 * @returns a function that returns undefined if a request may start, otherwise a promise that resolves once it may, in the order of the
 * calls
 */
export const createStartBudget = (now: () => number): (() => Promise<void> | undefined) => {
  /** The time at which the first request of this turn of the event loop started. */
  let startedAt: number | undefined;
  const endTurn = () => {
    startedAt = undefined;
  };
  const isOver = (): boolean => {
    if (startedAt !== undefined) return now() - startedAt >= BUDGET_MS;
    startedAt = now();
    setImmediate(endTurn);
    return false;
  };
  const wait = async (): Promise<void> => {
    do await new Promise((resolve) => setImmediate(resolve));
    while (isOver());
  };
  return () => (isOver() ? wait() : undefined);
};

/** The budget that all requests to this process share. */
export const mayStart = createStartBudget(performanceNow);
