import { clearTimeout, setTimeout } from '../../../src/adapter-kit.ts';

/** Request coalescing: concurrent callers share the answer to one query, which saves round trips. */

/** Maximum wait for the query in flight, which may never be answered, before another query is sent. ms */
const WAIT_TIMEOUT = 100;

/**
 * Shares the answers to a query. A caller that arrives while the query is in flight waits for it to end, and then shares the next query
 * with all callers that have arrived in the meantime. Thus no caller gets a result that was read before its request.
 * @param query runs the query, on a separate connection
 */
export const coalesced = <T>(query: () => Promise<T>): (() => Promise<T>) => {
  let running: Promise<unknown> | undefined;
  let next: Promise<T> | undefined;
  const begin = (): Promise<T> => {
    const answer = query();
    const ended = answer.then(ignored, ignored).then(() => {
      if (running === ended) running = undefined;
    });
    running = ended;
    return answer;
  };
  const after = async (earlier: Promise<unknown>): Promise<T> => {
    await waitBriefly(earlier);
    next = undefined;
    return begin();
  };
  return () => {
    if (next) return next;
    if (!running) return begin();
    next = after(running);
    return next;
  };
};

const waitBriefly = (work: Promise<unknown>): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, WAIT_TIMEOUT);
    void work.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });

const ignored = (): void => undefined;
