import type { Attribution } from '../../contract/api/kit/attribution.ts';
import { after, every } from '../../runtime/platform/clock.ts';
import type { Clock } from '../../runtime/platform/platform.ts';
import { type Entities, type EntitiesContext, entitiesOf } from '../entities/entities.ts';
import type { Write } from '../entities/writer.ts';
import type { ReadCache } from '../read-cache/read-cache.ts';
import type { Store } from '../storage/port.ts';

/** Runs work for which no call waits, or which continues after its call has been answered. It stops when the controller closes. */
export interface Background {
  /**
   * Starts work immediately. The caller handles its errors.
   * @param attribution the attribution of the writes in change records
   * @throws Error if the controller is closed; errors of `work`
   */
  run<T>(attribution: Attribution, work: (job: Job) => Promise<T>): Promise<T>;
  /** Aborts all work, and waits until it has stopped: a few seconds at most, if the store does not respond. */
  close(): Promise<void>;
}

export interface Job {
  /** Aborted when the controller closes. */
  readonly signal: AbortSignal;
  /** Reads from one consistent state, through the cache. */
  read<T>(work: (entities: Entities) => Promise<T>): Promise<T>;
  /** Runs a write transaction. Rejects once the signal is aborted. */
  write<T>(work: (entities: Entities) => Promise<T>): Promise<T>;
  /** Like `write`, but remains usable for 3 seconds after the signal is aborted, so that the end of the work can be recorded. */
  conclude<T>(work: (entities: Entities) => Promise<T>): Promise<T>;
  /**
   * Runs `step` at an interval until the work ends. The first run follows after one interval.
   * @returns a function that stops it earlier
   */
  every(milliseconds: number, step: () => Promise<void>): () => void;
}

/** Time limit for final writes after the controller has closed. ms */
const FINAL_WRITE_TIMEOUT = 3000;

export interface BackgroundOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly write: Write;
  /** The context of all jobs, without the attribution of each. */
  readonly common: Omit<EntitiesContext, keyof Attribution>;
  /** Serves the reads of jobs. Default: none. */
  readonly cache?: Pick<ReadCache, 'reading'>;
}

export const createBackground = (options: BackgroundOptions): Background => {
  const running = new Map<RunningJob, Promise<unknown>>();
  let isClosed = false;
  return {
    run: async (attribution, work) => {
      if (isClosed) throw closedError();
      const job = new RunningJob(options, attribution);
      const result = work(job).finally(() => job.end());
      const forget = () => void running.delete(job);
      running.set(job, result.then(forget, forget));
      return result;
    },
    close: async () => {
      isClosed = true;
      for (const job of running.keys()) job.stop();
      await Promise.all(running.values());
    },
  };
};

/** Each job has its own signal, so that the listeners are released when it ends. */
class RunningJob implements Job {
  readonly #options: BackgroundOptions;
  readonly #context: EntitiesContext;
  readonly #stopping = new AbortController();
  /** Aborted when the time limit for final writes has expired. */
  readonly #ending = new AbortController();
  readonly #cancelTimers: (() => void)[] = [];

  constructor(options: BackgroundOptions, attribution: Attribution) {
    this.#options = options;
    this.#context = { ...options.common, ...attribution };
  }

  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  // Arrow functions, because callers pass them on.
  readonly read: Job['read'] = (work) => {
    const { store, cache } = this.#options;
    return store.transaction('read', (tx) => work(entitiesOf(tx, this.#context, cache?.reading)), { signal: this.signal });
  };
  readonly write: Job['write'] = (work) => this.#options.write(this.#context, this.signal, work);
  readonly conclude: Job['conclude'] = (work) => this.#options.write(this.#context, this.#ending.signal, work);
  readonly every: Job['every'] = (milliseconds, step) => {
    const cancel = every(this.#options.clock, milliseconds, step);
    this.#cancelTimers.push(cancel);
    return cancel;
  };

  stop(): void {
    this.#stopping.abort(closedError());
    this.#cancelTimers.push(after(this.#options.clock, FINAL_WRITE_TIMEOUT, () => this.#ending.abort(closedError())));
  }

  end(): void {
    for (const cancel of this.#cancelTimers) cancel();
  }
}

const closedError = () => new Error('the controller was closed');
