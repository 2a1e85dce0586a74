/** Lets other tasks of the event loop run before it resolves. */
export const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

/** Steps of a long computation after which others have a turn. */
const STEPS = 500;

/** For a long computation: `await` it at each step, and once in some hundred steps others have a turn. */
export const createTurns = (): (() => Promise<void> | undefined) => {
  let steps = 0;
  return () => (++steps % STEPS === 0 ? yieldToEventLoop() : undefined);
};
