import type { Connection } from './connection.ts';

/**
 * Stops the statement that a connection is running once its caller has given up: for drivers that have no other means than a statement on another connection.
 * Where none is free, the statement runs on.
 */
export class Stopper {
  readonly #signal: AbortSignal;
  readonly #onAnother: (work: (other: Connection) => Promise<void>) => Promise<void>;
  #stop: ((other: Connection) => Promise<unknown>) | undefined;
  #running: object | undefined;
  /** What is on its way, and would stop whatever runs when it arrives. */
  #sent: Promise<unknown> | undefined;

  /** @param onAnother runs work on another connection, once there is one */
  constructor(signal: AbortSignal, onAnother: (work: (other: Connection) => Promise<void>) => Promise<void>) {
    this.#signal = signal;
    this.#onAnother = onAnother;
    signal.addEventListener('abort', this.#stopRunning);
  }

  /** @param stop stops what the connection is running, on another one. */
  arm(stop: (other: Connection) => Promise<unknown>): void {
    this.#stop = stop;
  }

  /** Runs a statement, which may be stopped. */
  async during<T>(query: () => Promise<T>): Promise<T> {
    await this.#sent;
    this.#running = {};
    try {
      return await query();
    } finally {
      this.#running = undefined;
    }
  }

  /** Nothing runs here any more, and nothing is on its way that would stop what others run. */
  async leave(): Promise<void> {
    this.#signal.removeEventListener('abort', this.#stopRunning);
    await this.#sent;
  }

  readonly #stopRunning = (): void => {
    const [target, stop] = [this.#running, this.#stop];
    if (!target || !stop) return;
    const stopped = this.#onAnother(async (other) => {
      // It may have ended while there was no connection.
      if (this.#running !== target) return;
      this.#sent = stop(other).catch(ignored);
      await this.#sent;
    });
    stopped.catch(ignored);
  };
}

const ignored = (): void => undefined;
