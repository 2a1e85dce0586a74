import { clearTimeout, setTimeout } from '../../runtime/platform/timers.ts';
import { waitedFor } from './errors.ts';

/** A FIFO queue of callers that wait for a resource that one at a time may use, such as the connection of writers. */
export class Turns<T> {
  readonly #waiting = new Set<(resource: T) => void>();

  /**
   * @param timeout how long to wait. ms
   * @returns the resource, once it is passed to this caller
   * @throws StoreBusy after the timeout
   */
  wait(timeout: number): Promise<T> {
    return new Promise((resolve, reject) => {
      const take = (resource: T) => {
        clearTimeout(timer);
        this.#waiting.delete(take);
        resolve(resource);
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(take);
        reject(waitedFor(timeout));
      }, timeout);
      this.#waiting.add(take);
    });
  }

  /**
   * Passes the resource to the first caller.
   * @returns false if none waits
   */
  pass(resource: T): boolean {
    const [take] = this.#waiting;
    take?.(resource);
    return take !== undefined;
  }
}
