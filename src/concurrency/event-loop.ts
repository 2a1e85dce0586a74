/** The share of the work of one turn that was done in this turn of the event loop. All that takes turns counts together. */
let done = 0;

const beginTurn = () => {
  done = 0;
};

/** Long computations that wait for a turn, in order. */
const waiting: (() => void)[] = [];

const goOn = () => {
  beginTurn();
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

/** Less is not counted, so that small requests set no timer. */
const LEAST_SHARE = 0.1;

/**
 * Counts work towards the turn in which it is done, together with that of all others.
 * @param share of the work of one turn, which takes some milliseconds
 * @returns whether it is time to let others have a turn
 */
export const countWork = (share: number): boolean => {
  if (share >= LEAST_SHARE) {
    if (done === 0) setTimeout(beginTurn, 0);
    done += share;
  }
  return isTurnOver();
};

/** Whether so much was done in this turn that others should have one. */
export const isTurnOver = (): boolean => done >= 1;

/**
 * For a long computation, which awaits it at each step: others have a turn once so many steps are done, or fewer where more was done in the same turn.
 * @param steps that take some milliseconds together
 * @returns takes how many steps were done: default 1
 */
export const createTurns = (steps: number): ((more?: number) => Promise<void> | undefined) => {
  let sum = 0;
  return (more = 1) => {
    sum += more;
    const share = sum / steps;
    if (share < LEAST_SHARE) return undefined;
    sum = 0;
    return countWork(share) ? yieldToEventLoop() : undefined;
  };
};
