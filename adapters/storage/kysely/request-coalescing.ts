/** Request coalescing: one answer for all who ask at the same time, where each question is a round trip. */

/** How long callers wait for an answer that may never come before they ask on another connection. ms */
const PATIENCE = 100;

/**
 * Shares the answers to a question. A caller that comes while the question is being asked waits for its end, and shares the next one with all who have come
 * until then: no answer is older than its caller.
 * @param ask asks the question, on a connection of its own
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
