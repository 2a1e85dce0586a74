import type { Attribution } from '../api/kit/attribution.ts';
import { type Entities, type EntitiesContext, entitiesOf } from '../entities/entities.ts';
import type { Write } from '../entities/writer.ts';
import { after, every } from '../platform/clock.ts';
import type { Clock } from '../platform/platform.ts';
import type { ReadCache } from '../read-cache/read-cache.ts';
import type { Store } from '../storage/port.ts';

/** Background work of a controller. No call waits for it, or it continues after its call has been answered. It stops when the controller closes. */
export interface Background {
  /**
   * Starts work immediately. The caller handles its errors.
   * @param attribution for the change records of its writes
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
  /** Like `write`, but still works for a few seconds after the signal is aborted, so that the end of the work can be recorded. */
  conclude<T>(work: (entities: Entities) => Promise<T>): Promise<T>;
  /**
   * Runs `step` at an interval, in ms, until the work ends; first after one interval.
   * @returns a function that stops it earlier
   */
  every(milliseconds: number, step: () => Promise<void>): () => void;
}

/** Time limit for final writes after the controller has closed. ms */
const FINAL_WRITE_TIMEOUT = 3000;

/** @param cache serves the reads of jobs. Default: none */
export const createBackground = (
  store: Store,
  clock: Clock,
  write: Write,
  common: Omit<EntitiesContext, keyof Attribution>,
  cache?: Pick<ReadCache, 'reading'>,
): Background => {
  const running = new Set<Promise<unknown>>();
  /** Functions that stop each job. Each job has its own signal, so that the listeners are released when it ends. */
  const stops = new Set<() => void>();
  let isClosed = false;
  return {
    run: async (attribution, work) => {
      if (isClosed) throw CLOSED();
      const [stopping, ending] = [new AbortController(), new AbortController()];
      const { signal } = stopping;
      const context = { ...common, ...attribution };
      const timers: (() => void)[] = [];
      const job: Job = {
        signal,
        read: (work) => store.transaction('read', (tx) => work(entitiesOf(tx, context, cache?.reading)), { signal }),
        write: (work) => write(context, signal, work),
        conclude: (work) => write(context, ending.signal, work),
        every: (milliseconds, step) => {
          const end = every(clock, milliseconds, step);
          timers.push(end);
          return end;
        },
      };
      const stop = () => {
        stopping.abort(CLOSED());
        timers.push(after(clock, FINAL_WRITE_TIMEOUT, () => ending.abort(CLOSED())));
      };
      stops.add(stop);
      const working = work(job).finally(() => {
        stops.delete(stop);
        for (const end of timers) end();
      });
      const settled = working.then(ignored, ignored);
      running.add(settled);
      void settled.then(() => running.delete(settled));
      return working;
    },
    close: async () => {
      isClosed = true;
      for (const stop of stops) stop();
      await Promise.all(running);
    },
  };
};

const CLOSED = () => new Error('the controller was closed');
const ignored = (): void => undefined;
