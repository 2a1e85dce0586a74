import { ApiError, RETRY_AFTER } from '../errors/index.ts';

/** Lets so many through at once, makes so many wait, and turns the rest away. */
export interface Gate {
  /**
   * @param signal of the request that the work is for: once it is aborted the work leaves the queue, and is not begun
   * @throws ApiError `SERVER_TOO_MANY_REQUESTS` with `retryAfter` when the queue is full; the reason of `signal`
   */
  pass<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

export const createGate = (atOnce: number, queued: number, retryAfter: number = RETRY_AFTER.busy): Gate => {
  let running = 0;
  const waiting: Waiting[] = [];
  return {
    pass: async (work, signal) => {
      signal?.throwIfAborted();
      if (running < atOnce) running++;
      else if (waiting.length < queued) await waitIn(waiting, {}, signal);
      else throw tooManyRequests(retryAfter);
      try {
        return await work();
      } finally {
        // The first in the queue takes over this place; only when none waits does it become free.
        const next = waiting.shift();
        if (next) next.start();
        else running--;
      }
    },
  };
};

/** What waits in a queue. Who takes it out of the queue calls one of these. */
export interface Waiting {
  readonly start: () => void;
  readonly refuse: (reason: unknown) => void;
}

/** Waits in a queue until it is started or refused, or until its signal is aborted: then it leaves the queue by itself. */
export const waitIn = <F extends object>(queue: (Waiting & F)[], facts: F, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const leave = () => {
      queue.splice(queue.indexOf(waiting), 1);
      reject(signal?.reason);
    };
    const settled = () => signal?.removeEventListener('abort', leave);
    const waiting = {
      ...facts,
      start: () => {
        settled();
        resolve();
      },
      refuse: (reason: unknown) => {
        settled();
        reject(reason);
      },
    };
    queue.push(waiting);
    signal?.addEventListener('abort', leave, { once: true });
  });

export const tooManyRequests = (retryAfter: number): ApiError => new ApiError('SERVER_TOO_MANY_REQUESTS', { retryAfter });
