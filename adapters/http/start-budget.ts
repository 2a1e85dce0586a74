/** Milliseconds for which requests are started within one turn of the event loop. */
const BEGUN_FOR_MS = 20;

/**
 * Many requests may arrive in one turn of the event loop. If all of them started in it, they would block the process for as long as they take together.
 * @param now milliseconds
 * @returns gives undefined if a request may begin; otherwise resolves when it may, in the order of the calls
 */
export const createStartBudget = (now: () => number): (() => Promise<void> | undefined) => {
  /** The time at which the first request of this turn of the event loop started. */
  let firstAt: number | undefined;
  const endTurn = () => {
    firstAt = undefined;
  };
  const isOver = (): boolean => {
    if (firstAt !== undefined) return now() - firstAt >= BEGUN_FOR_MS;
    firstAt = now();
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
