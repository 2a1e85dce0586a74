import { ApiError, RETRY_AFTER } from '../errors/index.ts';

/** A request in a queue. Either call removes it from the queue. */
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
