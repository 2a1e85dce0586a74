import { tooManyRequests, WaitQueue } from './wait-queue.ts';

/** Releases a permit. Further calls do nothing. */
export type Release = () => void;

/** A counting semaphore with a FIFO queue, which an aborted waiter leaves. */
export interface Semaphore {
  /** Permits that are held. */
  readonly running: number;
  /** Requests that wait for one. */
  readonly waiting: number;
  /** Acquires a permit if one is free. @returns releases it */
  tryAcquire(): Release | undefined;
  /**
   * Acquires a permit, as soon as one is free.
   * @returns releases it
   * @throws ApiError `SERVER_TOO_MANY_REQUESTS` with `retryAfter` when the queue is full; the reason of `signal`, once aborted
   */
  acquire(signal?: AbortSignal): Promise<Release>;
  /** Runs `work` with a permit. @throws as `acquire`; what `work` throws */
  run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/**
 * Creates a counting semaphore.
 * @param permits number of permits
 * @param queued length of the queue; default: unlimited
 */
export const createSemaphore = (permits: number, queued = Number.POSITIVE_INFINITY): Semaphore => {
  let held = 0;
  const queue = new WaitQueue();
  const release = () => {
    const [next] = queue;
    // The first waiter takes over this permit; it becomes free only when none waits.
    if (next) next.admit();
    else held--;
  };
  const permit = (): Release => {
    let isReleased = false;
    return () => {
      if (!isReleased) release();
      isReleased = true;
    };
  };
  const tryAcquire = () => {
    if (held >= permits) return undefined;
    held++;
    return permit();
  };
  const acquire = async (signal?: AbortSignal) => {
    signal?.throwIfAborted();
    const free = tryAcquire();
    if (free) return free;
    if (queue.length >= queued) throw tooManyRequests();
    await queue.wait(undefined, signal);
    return permit();
  };
  return {
    get running() {
      return held;
    },
    get waiting() {
      return queue.length;
    },
    tryAcquire,
    acquire,
    run: async (work, signal) => {
      signal?.throwIfAborted();
      const done = tryAcquire() ?? (await acquire(signal));
      try {
        return await work();
      } finally {
        done();
      }
    },
  };
};
