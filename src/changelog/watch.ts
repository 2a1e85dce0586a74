import { pause } from '../platform/clock.ts';
import type { Clock } from '../platform/platform.ts';
import type { Store } from '../storage/port.ts';
import { newestRevision } from './follow.ts';
import type { ChangeListeners } from './listeners.ts';

/** Milliseconds between polls of the log for commits of other controllers and of host transactions, while readers wait. */
const POLL_MS = 1000;

/** Wakes readers that wait at the end of the change log when it grows. */
export interface LogWatch {
  /** Aborted when the controller closes. */
  readonly signal: AbortSignal;
  /** Resolves when any controller has committed a change after the revision, when `signal` is aborted, or when the controller closes. */
  growsBeyond(revision: number, signal: AbortSignal): Promise<void>;
  close(): void;
}

/** Notices changes of this controller when their events are emitted, and other changes at the next poll. All readers share one poll. */
export const createLogWatch = (store: Store, clock: Clock, events: Pick<ChangeListeners, 'on'>): LogWatch => {
  const closing = new AbortController();
  /** For each waiting reader, a function that ends the wait if the log has grown, mapped to one that ends it unconditionally. */
  const waiting = new Map<() => void, () => void>();
  let newest = 0;
  let isPolling = false;

  const advance = (revision: number) => {
    if (revision <= newest) return;
    newest = revision;
    for (const wake of waiting.keys()) wake();
  };
  const poll = async () => {
    if (isPolling) return;
    isPolling = true;
    while (waiting.size > 0) {
      await pause(clock, POLL_MS, closing.signal, { keepsAlive: true });
      // If the store is unavailable, readers get the error from their own reads.
      if (waiting.size > 0) await newestRevision(store).then(advance, () => undefined);
    }
    isPolling = false;
  };

  events.on('change', ({ revision }) => advance(revision));
  return {
    signal: closing.signal,
    growsBeyond: (revision, signal) =>
      new Promise((resolve) => {
        const end = () => {
          waiting.delete(wake);
          signal.removeEventListener('abort', end);
          resolve();
        };
        const wake = () => {
          if (newest > revision) end();
        };
        if (signal.aborted || closing.signal.aborted) return resolve();
        waiting.set(wake, end);
        signal.addEventListener('abort', end);
        void poll();
        wake();
      }),
    close: () => {
      closing.abort();
      for (const end of waiting.values()) end();
    },
  };
};
