/** Request coalescing: concurrent callers share one answer, because each query is a round trip. */

/** How long callers wait for an answer that may never come before they query on another connection. ms */
const PATIENCE = 100;

/**
 * Shares the answers to a query. A caller that arrives while the query is in flight waits for it to end, and shares the next one with all who have arrived
 * by then: no answer predates its caller's request.
 * @param ask runs the query, on a separate connection
 */
export const coalesced = <T>(ask: () => Promise<T>): (() => Promise<T>) => {
  let running: Promise<unknown> | undefined;
  let next: Promise<T> | undefined;
  const begin = (): Promise<T> => {
    const answer = ask();
    const over = answer.then(ignored, ignored).then(() => {
      if (running === over) running = undefined;
    });
    running = over;
    return answer;
  };
  const after = async (earlier: Promise<unknown>): Promise<T> => {
    await patiently(earlier);
    next = undefined;
    return begin();
  };
  return () => next ?? (running ? (next = after(running)) : begin());
};

const patiently = (work: Promise<unknown>): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, PATIENCE);
    void work.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });

const ignored = (): void => undefined;
