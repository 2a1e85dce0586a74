import { pause, systemClock } from '../platform/clock.ts';
import type { Clock } from '../platform/platform.ts';
import type { Store } from '../storage/port.ts';
import { newestRevision } from './follow.ts';
import type { ChangeListeners } from './listeners.ts';

/** Milliseconds between polls of the log for commits of other controllers and of host transactions, while readers wait. */
const POLL_MS = 1000;

/** Milliseconds before readers hear of changes of other kinds. */
const PASSED_MS = 1000;
/** Number of changes whose kinds are remembered at least. */
const REMEMBERED = 500;

/** Wakes readers that wait at the end of the change log when it grows. */
export interface LogWatch {
  /** Aborted when the controller closes. */
  readonly signal: AbortSignal;
  /**
   * Resolves when any controller has committed a change after the revision, when `signal` is aborted, or when the controller closes.
   * @param kinds changes that are known to be of other kinds count only after a second. Default: all kinds
   */
  growsBeyond(revision: number, signal: AbortSignal, kinds?: ReadonlySet<string>): Promise<void>;
  /** The last of the changes directly after the revision that are known to be of other kinds; the revision itself if there are none. */
  passedBy(revision: number, kinds: ReadonlySet<string>): number;
  close(): void;
}

/** Notices changes of this controller when their events are emitted, and other changes at the next poll. All readers share one poll. */
export const createLogWatch = (store: Store, clock: Clock, events: Pick<ChangeListeners, 'on'>): LogWatch => {
  const closing = new AbortController();
  /** For each waiting reader, a function that ends the wait if the log has grown by what counts, mapped to one that ends it unconditionally. */
  const waiting = new Map<(countsAll?: boolean) => void, () => void>();
  let newest = 0;
  let isPolling = false;
  let isPassing = false;
  /** The kinds of the latest changes, without gaps, up to `newestKnown`. */
  let latest: string[] = [];
  let newestKnown = 0;

  const remember = (revision: number, entity: string) => {
    if (revision !== newestKnown + 1) latest = [];
    newestKnown = revision;
    latest.push(entity);
    if (latest.length > 2 * REMEMBERED) latest = latest.slice(-REMEMBERED);
  };

  const advance = (revision: number) => {
    if (revision <= newest) return;
    newest = revision;
    for (const wake of waiting.keys()) wake();
    if (waiting.size > 0) void pass();
  };
  const passedBy: LogWatch['passedBy'] = (revision, kinds) => {
    const oldest = newestKnown - latest.length + 1;
    let last = revision;
    while (last >= oldest - 1 && last < newestKnown && !kinds.has(latest[last + 1 - oldest] ?? '')) last++;
    return last;
  };
  /** Lets readers of other kinds know how far the log has come: once a second, because there may be hundreds. */
  const pass = async () => {
    if (isPassing) return;
    isPassing = true;
    await pause(systemClock, PASSED_MS, closing.signal);
    isPassing = false;
    for (const wake of waiting.keys()) wake(true);
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

  events.on('change', ({ revision, entity }) => {
    remember(revision, entity);
    advance(revision);
  });
  return {
    signal: closing.signal,
    growsBeyond: (revision, signal, kinds) =>
      new Promise((resolve) => {
        const end = () => {
          waiting.delete(wake);
          signal.removeEventListener('abort', end);
          resolve();
        };
        const wake = (countsAll = kinds === undefined) => {
          if (newest > revision && (countsAll || !kinds || passedBy(revision, kinds) < newest)) end();
        };
        if (signal.aborted || closing.signal.aborted) return resolve();
        waiting.set(wake, end);
        signal.addEventListener('abort', end);
        void poll();
        wake();
        if (newest > revision && waiting.has(wake)) void pass();
      }),
    passedBy,
    close: () => {
      closing.abort();
      for (const end of waiting.values()) end();
    },
  };
};
