/** Lets other tasks of the event loop run before it resolves. */
export const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

/**
 * For a long computation, which awaits it at each step: once in so many steps others have a turn.
 * @param steps that take some milliseconds together
 */
export const createTurns = (steps: number): (() => Promise<void> | undefined) => {
  let done = 0;
  return () => (++done % steps === 0 ? yieldToEventLoop() : undefined);
};
