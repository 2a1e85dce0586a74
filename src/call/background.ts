import { type Entities, type EntitiesContext, entitiesOf } from '../changes/entities.ts';
import type { Store } from '../storage/port.ts';
import type { Write } from './writer.ts';

/** Work of a controller that no call waits for, or that goes on when the call that asked for it has been answered. It ends with the controller. */
export interface Background {
  /**
   * Begins at once. What goes wrong is the caller's to look at.
   * @param origin named in the change records of what the work writes
   */
  run<T>(origin: Origin, work: (job: Job) => Promise<T>): Promise<T>;
  /** Tells all work to stop, and waits until it has. */
  close(): Promise<void>;
}

/** The actor and the request that some work is done for. */
export type Origin = Pick<EntitiesContext, 'actor' | 'requestId'>;

export interface Job {
  /** Aborted when the controller closes. */
  readonly signal: AbortSignal;
  /** One consistent state to read from. */
  read<T>(work: (entities: Entities) => Promise<T>): Promise<T>;
  /** All or nothing, and not any more once the signal is aborted. */
  write<T>(work: (entities: Entities) => Promise<T>): Promise<T>;
  /** As `write`, also when the signal is aborted: to say how the work ended. */
  conclude<T>(work: (entities: Entities) => Promise<T>): Promise<T>;
  /** Runs `step` every so many milliseconds until the work is over; the first time after that long. */
  every(milliseconds: number, step: () => Promise<void>): void;
}

const NEVER_ABORTED = new AbortController().signal;

export const createBackground = (store: Store, write: Write, common: Omit<EntitiesContext, keyof Origin>): Background => {
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();
  return {
    run: async (origin, work) => {
      const { signal } = closing;
      signal.throwIfAborted();
      const context = { ...common, ...origin };
      const timers: ReturnType<typeof setInterval>[] = [];
      const job: Job = {
        signal,
        read: (work) => store.transaction('read', (tx) => work(entitiesOf(tx, context))),
        write: (work) => write(context, signal, work),
        conclude: (work) => write(context, NEVER_ABORTED, work),
        every: (milliseconds, step) => {
          const timer = setInterval(inTurn(step), milliseconds);
          timers.push(timer);
          // Node's timers are objects, and keep the process alive unless told otherwise.
          (timer as { unref?(): void }).unref?.();
        },
      };
      const working = work(job).finally(() => timers.forEach(clearInterval));
      const over = working.then(ignored, ignored);
      running.add(over);
      void over.then(() => running.delete(over));
      return working;
    },
    close: async () => {
      closing.abort(new Error('the controller was closed'));
      await Promise.all(running);
    },
  };
};

/** Steps that take longer than the pause between them do not pile up. */
const inTurn = (step: () => Promise<void>): (() => void) => {
  let isRunning = false;
  return () => {
    if (isRunning) return;
    isRunning = true;
    const over = () => {
      isRunning = false;
    };
    step().then(over, over);
  };
};

const ignored = (): void => undefined;
