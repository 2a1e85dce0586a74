/** Long computations that wait for a turn, in order. */
const waiting: (() => void)[] = [];

const goOn = () => {
  waiting.shift()?.();
  if (waiting.length > 0) setTimeout(goOn, 0);
};

/**
 * Lets other tasks of the event loop run before it resolves. Of several that wait for it, one goes on at a time: together they would hold up everybody else
 * (decision 054).
 */
export const yieldToEventLoop = (): Promise<void> =>
  new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setTimeout(goOn, 0);
  });

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
