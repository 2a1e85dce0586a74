import { pause, systemClock } from '../../runtime/platform/clock.ts';
import type { Clock } from '../../runtime/platform/platform.ts';
import type { Store } from '../storage/port.ts';
import { newestRevision } from './follow.ts';
import type { ChangeListeners } from './listeners.ts';

/**
 * Interval between polls of the log for commits of other controllers and of host transactions, while readers or routers wait. A poll that
 * finds nothing is one statement. ms
 */
export const POLL_MS = 150;
/** Maximum delay until readers are informed of changes of other kinds. ms */
const PASSED_MS = 1000;
/** Minimum number of changes whose kinds are remembered. */
const MIN_REMEMBERED = 500;

/** Wakes readers that wait at the end of the change log when it grows. */
export interface LogWatch {
  /** Aborted when the controller closes. */
  readonly signal: AbortSignal;
  /**
   * Resolves when any controller has committed a change after the revision, when `signal` is aborted, or when the controller closes.
   * @param kinds the kinds of changes to wait for; changes that are known to be of other kinds end the wait only after a second. Default:
   * all kinds
   */
  growsBeyond(revision: number, signal: AbortSignal, kinds?: ReadonlySet<string>): Promise<void>;
  /** The last of the changes directly after the revision that are known to be of other kinds; the revision itself if there are none. */
  passedBy(revision: number, kinds: ReadonlySet<string>): number;
  close(): void;
}

/** A reader that waits for the log to grow. */
interface WaitingReader {
  /** Ends the wait if the log has grown by a change that matters to the reader, or by any change if `countsAll` is true. */
  wake(countsAll: boolean): void;
  end(): void;
}

/** Notices changes of this controller when their events are emitted, and other changes at the next poll. All readers share one poll. */
export const createLogWatch = (store: Store, clock: Clock, events: Pick<ChangeListeners, 'on'>): LogWatch => {
  const watch = new PollingLogWatch(store, clock);
  events.on('change', ({ revision, entity }) => watch.note(revision, entity));
  return watch;
};

class PollingLogWatch implements LogWatch {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #closing = new AbortController();
  readonly #waiting = new Set<WaitingReader>();
  /** The latest known revision. */
  #newest = 0;
  #isPolling = false;
  #isWakePending = false;
  /** The kinds of the latest changes, without gaps, up to `#lastNoted`. */
  #kinds: string[] = [];
  #lastNoted = 0;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  get signal(): AbortSignal {
    return this.#closing.signal;
  }

  /** Notes a change whose event was emitted. */
  note(revision: number, kind: string): void {
    if (revision !== this.#lastNoted + 1) this.#kinds = [];
    this.#lastNoted = revision;
    this.#kinds.push(kind);
    if (this.#kinds.length > 2 * MIN_REMEMBERED) this.#kinds = this.#kinds.slice(-MIN_REMEMBERED);
    this.#advance(revision);
  }

  growsBeyond(revision: number, signal: AbortSignal, kinds?: ReadonlySet<string>): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        this.#waiting.delete(reader);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const wake = (countsAll: boolean) => {
        if (this.#newest > revision && (countsAll || !kinds || this.passedBy(revision, kinds) < this.#newest)) end();
      };
      const reader = { wake, end };
      if (signal.aborted || this.signal.aborted) return resolve();
      this.#waiting.add(reader);
      signal.addEventListener('abort', end);
      void this.#poll();
      wake(false);
      if (this.#newest > revision && this.#waiting.has(reader)) void this.#wakeAllLater();
    });
  }

  passedBy(revision: number, kinds: ReadonlySet<string>): number {
    const oldest = this.#lastNoted - this.#kinds.length + 1;
    let last = revision;
    while (last >= oldest - 1 && last < this.#lastNoted && !kinds.has(this.#kinds[last + 1 - oldest] ?? '')) last++;
    return last;
  }

  close(): void {
    this.#closing.abort();
    for (const reader of this.#waiting) reader.end();
  }

  #advance(revision: number): void {
    if (revision <= this.#newest) return;
    this.#newest = revision;
    for (const reader of this.#waiting) reader.wake(false);
    if (this.#waiting.size > 0) void this.#wakeAllLater();
  }

  /** Informs readers of other kinds of the new end of the log: once a second, because there may be hundreds of readers. */
  async #wakeAllLater(): Promise<void> {
    if (this.#isWakePending) return;
    this.#isWakePending = true;
    await pause(systemClock, PASSED_MS, this.signal);
    this.#isWakePending = false;
    for (const reader of this.#waiting) reader.wake(true);
  }

  async #poll(): Promise<void> {
    if (this.#isPolling) return;
    this.#isPolling = true;
    while (this.#waiting.size > 0) {
      await pause(this.#clock, POLL_MS, this.signal, { keepsAlive: true });
      if (this.#waiting.size === 0) break;
      // If the store is unavailable, readers get the error from their own reads.
      const newest = await newestRevision(this.#store).catch(() => undefined);
      if (newest !== undefined) this.#advance(newest);
    }
    this.#isPolling = false;
  }
}
