import { ApiError, RETRY_AFTER } from '../../contract/errors/index.ts';

/** Releases a permit. Idempotent. */
export type Release = () => void;

/** A counting semaphore with a FIFO queue. */
export interface Semaphore {
  /** Number of permits in use. */
  readonly running: number;
  /** Number of requests that wait for a permit. */
  readonly waiting: number;
  /**
   * Acquires a permit if one is free.
   * @returns a function that releases it
   */
  tryAcquire(): Release | undefined;
  /**
   * Acquires a permit as soon as one is free.
   * @returns a function that releases it
   * @throws ApiError `SERVER_TOO_MANY_REQUESTS` with `retryAfter` when the queue is full; the reason of `signal`, once aborted
   */
  acquire(signal?: AbortSignal): Promise<Release>;
  /**
   * Runs `work` with a permit.
   * @throws errors of `acquire` and of `work`
   */
  run<T>(work: () => Promise<T>, caller?: Caller): Promise<T>;
}

/** The caller of `run`, which may have to wait for a permit. */
interface Caller {
  /** If it is aborted, the caller leaves the queue. */
  readonly signal?: AbortSignal;
  /** Measures the wait: `wait` is called when it begins, and the returned function when it ends. */
  readonly observation?: { wait(): () => void } | undefined;
}

/**
 * Creates a counting semaphore.
 * @param permits number of permits
 * @param maxWaiting maximum length of the queue. Default: unlimited
 */
export const createSemaphore = (permits: number, maxWaiting = Number.POSITIVE_INFINITY): Semaphore =>
  new CountingSemaphore(permits, maxWaiting);

class CountingSemaphore implements Semaphore {
  readonly #permits: number;
  readonly #maxWaiting: number;
  readonly #queue = new WaitQueue();
  #running = 0;

  constructor(permits: number, maxWaiting: number) {
    this.#permits = permits;
    this.#maxWaiting = maxWaiting;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  tryAcquire(): Release | undefined {
    if (this.#running >= this.#permits) return undefined;
    this.#running++;
    return this.#createRelease();
  }

  async acquire(signal?: AbortSignal): Promise<Release> {
    signal?.throwIfAborted();
    const release = this.tryAcquire();
    if (release) return release;
    await this.#wait(signal);
    return this.#createRelease();
  }

  async run<T>(work: () => Promise<T>, { signal, observation }: Caller = {}): Promise<T> {
    signal?.throwIfAborted();
    if (this.#running < this.#permits) this.#running++;
    else {
      const endWait = observation?.wait();
      await this.#wait(signal).finally(endWait);
    }
    try {
      return await work();
    } finally {
      this.#release();
    }
  }

  async #wait(signal: AbortSignal | undefined): Promise<void> {
    if (this.#queue.length >= this.#maxWaiting) throw tooManyRequests();
    await this.#queue.wait(undefined, signal);
  }

  #createRelease(): Release {
    let isReleased = false;
    return () => {
      if (!isReleased) this.#release();
      isReleased = true;
    };
  }

  #release(): void {
    const [next] = this.#queue;
    // The first waiter takes over this permit, which becomes free only if nobody waits.
    if (next) next.admit();
    else this.#running--;
  }
}

/** A request in a queue. `admit` and `refuse` remove it from the queue. */
export interface Waiter<T> {
  readonly entry: T;
  readonly admit: () => void;
  readonly refuse: (reason: unknown) => void;
}

/** A FIFO queue of requests that wait to be admitted. A request leaves the queue if its signal is aborted. */
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
