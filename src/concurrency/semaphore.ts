import { ApiError, RETRY_AFTER } from '../errors/index.ts';

/** Releases a permit. Idempotent. */
export type Release = () => void;

/** A counting semaphore with a FIFO queue, which an aborted waiter leaves. */
export interface Semaphore {
  /** Number of permits in use. */
  readonly running: number;
  /** Number of requests that wait for a permit. */
  readonly waiting: number;
  /** Acquires a permit if one is free. @returns a function that releases it */
  tryAcquire(): Release | undefined;
  /**
   * Acquires a permit as soon as one is free.
   * @returns a function that releases it
   * @throws ApiError `SERVER_TOO_MANY_REQUESTS` with `retryAfter` when the queue is full; the reason of `signal`, once aborted
   */
  acquire(signal?: AbortSignal): Promise<Release>;
  /** Runs `work` with a permit. @throws errors of `acquire` and of `work` */
  run<T>(work: () => Promise<T>, caller?: Caller): Promise<T>;
}

/** The caller of `run`, which may have to wait for a permit. */
interface Caller {
  /** Once it is aborted, the caller stops waiting. */
  readonly signal?: AbortSignal;
  /** Measures the wait: `wait` is called when it begins, and the returned function when it ends. */
  readonly observation?: { wait(): () => void } | undefined;
}

/**
 * Creates a counting semaphore.
 * @param permits number of permits
 * @param queued maximum length of the queue; default: unlimited
 */
export const createSemaphore = (permits: number, queued = Number.POSITIVE_INFINITY): Semaphore => {
  let inUse = 0;
  const queue = new WaitQueue();
  const release = () => {
    const [next] = queue;
    // The first waiter takes over this permit, which becomes free only if nobody waits.
    if (next) next.admit();
    else inUse--;
  };
  const permit = (): Release => {
    let isReleased = false;
    return () => {
      if (!isReleased) release();
      isReleased = true;
    };
  };
  const tryAcquire = () => {
    if (inUse >= permits) return undefined;
    inUse++;
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
      return inUse;
    },
    get waiting() {
      return queue.length;
    },
    tryAcquire,
    acquire,
    run: async (work, { signal, observation } = {}) => {
      signal?.throwIfAborted();
      let releasePermit = tryAcquire();
      if (!releasePermit) {
        const endWait = observation?.wait();
        releasePermit = await acquire(signal).finally(endWait);
      }
      try {
        return await work();
      } finally {
        releasePermit();
      }
    },
  };
};

/** A request in a queue. `admit` and `refuse` remove it from the queue. */
export interface Waiter<T> {
  readonly entry: T;
  readonly admit: () => void;
  readonly refuse: (reason: unknown) => void;
}

/** A FIFO queue of requests that wait to be admitted. A request whose signal is aborted leaves it. */
export class WaitQueue<T = undefined> implements Iterable<Waiter<T>> {
  readonly #waiters = new Set<Waiter<T>>();

  get length(): number {
    return this.#waiters.size;
  }

  /** The requests in order of arrival. */
  [Symbol.iterator](): Iterator<Waiter<T>> {
    return this.#waiters.values();
  }

  /**
   * Waits until admitted.
   * @throws the reason of the refusal; the reason of `signal`, once aborted
   */
  wait(entry: T, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiters.delete(waiter);
        signal?.removeEventListener('abort', abort);
      };
      const waiter: Waiter<T> = {
        entry,
        admit: () => {
          leave();
          resolve();
        },
        refuse: (reason) => {
          leave();
          reject(reason);
        },
      };
      const abort = () => waiter.refuse(signal?.reason);
      this.#waiters.add(waiter);
      signal?.addEventListener('abort', abort);
    });
  }
}

/** The error for a full queue. */
export const tooManyRequests = (): ApiError => new ApiError('SERVER_TOO_MANY_REQUESTS', { retryAfter: RETRY_AFTER.busy });
