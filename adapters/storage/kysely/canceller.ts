import type { Connection } from './connection.ts';

/**
 * Cancels the running statement of a connection when the caller's signal is aborted, by sending a statement on another connection. For
 * drivers that cannot cancel statements themselves. If no other connection becomes free, the statement runs to completion.
 */
export class Canceller {
  readonly #signal: AbortSignal;
  readonly #onAnother: (work: (other: Connection) => Promise<void>) => Promise<void>;
  #stop: ((other: Connection) => Promise<unknown>) | undefined;
  #running: object | undefined;
  /** A cancellation in flight. When it arrives, it cancels the statement that the connection is running then. */
  #sent: Promise<unknown> | undefined;

  /** @param onAnother runs work on another connection, once one is free */
  constructor(signal: AbortSignal, onAnother: (work: (other: Connection) => Promise<void>) => Promise<void>) {
    this.#signal = signal;
    this.#onAnother = onAnother;
    signal.addEventListener('abort', this.#stopRunning);
  }

  /** @param stop cancels the running statement of this connection, over another connection */
  arm(stop: (other: Connection) => Promise<unknown>): void {
    this.#stop = stop;
  }

  /** Runs a statement that may be cancelled. */
  async during<T>(query: () => Promise<T>): Promise<T> {
    await this.#sent;
    this.#running = {};
    try {
      return await query();
    } finally {
      this.#running = undefined;
    }
  }

  /** Waits for a cancellation in flight, so that it cannot cancel a statement of the connection's next user. */
  async release(): Promise<void> {
    this.#signal.removeEventListener('abort', this.#stopRunning);
    await this.#sent;
  }

  readonly #stopRunning = (): void => {
    const [target, stop] = [this.#running, this.#stop];
    if (!target || !stop) return;
    const stopped = this.#onAnother(async (other) => {
      // The statement may have ended while no connection was free.
      if (this.#running !== target) return;
      this.#sent = stop(other).catch(ignored);
      await this.#sent;
    });
    stopped.catch(ignored);
  };
}

const ignored = (): void => undefined;
