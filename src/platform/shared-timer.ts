/** Runs a task when the timer expires. @returns cancels it */
export type SharedTimer = (task: () => void) => () => void;

interface Waiting {
  readonly due: number;
  readonly task: () => void;
}

/** Above, the timers of JavaScript fire at once. In milliseconds. */
const LONGEST_DELAY = 2 ** 31 - 1;

/**
 * One timer for all tasks with the same delay, such as the time limit of requests: it is nearly free to add a task and to call it off. The timer keeps
 * the process alive while a task waits.
 * @param milliseconds above 2^31 - 1, such as Infinity, no task is ever run
 */
export const createSharedTimer = (milliseconds: number): SharedTimer => {
  if (milliseconds > LONGEST_DELAY) return () => () => undefined;
  // In the order in which they are due.
  const waiting = new Set<Waiting>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  const fire = () => {
    const now = performance.now();
    for (const each of waiting) {
      if (each.due > now) break;
      waiting.delete(each);
      each.task();
    }
    const [next] = waiting;
    timer = next && setTimeout(fire, Math.ceil(next.due - now));
  };

  return (task) => {
    const own = { due: performance.now() + milliseconds, task };
    waiting.add(own);
    if (timer === undefined) timer = setTimeout(fire, milliseconds);
    else if (waiting.size === 1) keepAlive(timer, true);
    return () => {
      waiting.delete(own);
      if (waiting.size === 0 && timer !== undefined) keepAlive(timer, false);
    };
  };
};

/** Node's timers are objects, and keep the process alive unless unreferenced. */
const keepAlive = (timer: unknown, isKept: boolean): void => {
  const { ref, unref } = timer as { ref?(): void; unref?(): void }; // a number in other runtimes
  (isKept ? ref : unref)?.call(timer);
};
