/** Lets other tasks of the event loop run before it resolves. */
export const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

/**
 * For a long computation, which awaits it at each step: once in so many steps others have a turn.
 * @param steps that take some milliseconds together
 * @returns takes how many steps were done: default 1
 */
export const createTurns = (steps: number): ((done?: number) => Promise<void> | undefined) => {
  let sum = 0;
  return (done = 1) => {
    sum += done;
    if (sum < steps) return undefined;
    sum = 0;
    return yieldToEventLoop();
  };
};
