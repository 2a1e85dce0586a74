/** The time within one turn of the event loop after which no further request starts. ms */
const BUDGET_MS = 20;

/**
 * Many requests may arrive in one turn of the event loop. Starting all of them at once would block the process for as long as they take together.
 * @param now milliseconds
 * @returns a function that returns undefined if a request may start, otherwise a promise that resolves when it may, in the order of the calls
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

/** Shared by all requests to this process. */
export const mayStart = createStartBudget(() => performance.now());
