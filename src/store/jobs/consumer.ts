/**
 * A durable consumer of the change log: it handles each change at least once and in order, on one of the controllers of a store at a time.
 * Its cursor is in the store, and advances when a change has been handled.
 */

import { cursor as cursorKind } from '../../contract/api/cursors.ts';
import type { Change, ChangedKind } from '../../contract/changes/events.ts';
import { after, pause } from '../../runtime/platform/clock.ts';
import type { Platform } from '../../runtime/platform/platform.ts';
import { createRepeatedLog, type RepeatedLog } from '../../runtime/platform/repeated-log.ts';
import { followLog, type LogPage, type ReadRecords } from '../changelog/follow.ts';
import type { LogWatch } from '../changelog/watch.ts';
import type { Job } from './background.ts';
import { advance, openCursor, readLog } from './cursor.ts';
import { acquireLease, type Lease, LeaseLost } from './lease.ts';

/** The name, start and handlers of a consumer. */
export interface Consumption {
  /** The name of the cursor and of the lease. */
  readonly id: string;
  /** Where a new cursor starts. */
  readonly at: 'oldest' | 'next';
  /** Stops the consumer when aborted. */
  readonly closing: AbortSignal;
  readonly isWanted: (kind: ChangedKind) => boolean;
  /** Handles a change. If it rejects, it is called again with the same change, after a delay. */
  readonly handle: (change: Change, signal: AbortSignal) => unknown;
  /** Handles a gap in the log, with the same retries. */
  readonly handleMissing: (from: number, to: number, signal: AbortSignal) => unknown;
}

export interface ConsumerServices {
  readonly platform: Pick<Platform, 'clock' | 'random' | 'logger'>;
  readonly logWatch: LogWatch;
}

/** Number of changes read per transaction. */
const PAGE = 100;
/** Number of unwanted changes after which the cursor is written anyway. */
const FAR_BEHIND = 1000;
/** Time after which another controller takes over from a lost one. ms */
const LEASE_MS = 30_000;
/** Interval at which a controller checks whether another one has released the lease. ms */
const LEASE_POLL_MS = 5000;
/** Minimum and maximum delay of the exponential backoff after failures. ms */
const MIN_DELAY = 1000;
const MAX_DELAY = 60_000;
/** Time to wait for a handler after its signal is aborted. ms */
const ABORTED_HANDLER_TIMEOUT = 2000;
/** Keeps alive a process that only consumes changes. */
const ALIVE = { keepsAlive: true } as const;

export class ChangeConsumer {
  readonly #job: Job;
  readonly #services: ConsumerServices;
  readonly #consumption: Consumption;
  readonly #log: RepeatedLog;
  /** The revision of the last change that was handled. */
  #handled = 0;
  /** The revision of the cursor in the store. */
  #stored = 0;

  constructor(job: Job, services: ConsumerServices, consumption: Consumption) {
    this.#job = job;
    this.#services = services;
    this.#consumption = consumption;
    this.#log = createRepeatedLog(services.platform);
  }

  /**
   * Consumes changes until the job ends or the consumer is closed.
   * @param onOpened called once the cursor exists: from then on, no change is missed
   * @throws the reason of the signal if it is aborted before the cursor exists
   */
  async run(onOpened: () => void): Promise<void> {
    const { platform } = this.#services;
    const { clock } = platform;
    const { id, at, closing } = this.#consumption;
    const signal = AbortSignal.any([this.#job.signal, closing]);
    await this.#retry(signal, 'the cursor', () => this.#job.write((entities) => openCursor(entities, id, at)));
    onOpened();
    while (!signal.aborted) {
      try {
        const { lease, heldUntil } = await this.#retry(signal, 'the lease', () => acquireLease(this.#job, platform, id, LEASE_MS));
        if (lease) await this.#consume(lease);
        else await pause(clock, Math.min(Math.max(Date.parse(heldUntil) - clock.now(), 1), LEASE_POLL_MS), signal, ALIVE);
      } catch (error) {
        if (signal.aborted) return;
        this.#log('warn', 'a consumer of changes lost its lease or failed; it starts again', { consumer: id, error: String(error) });
        await pause(clock, MIN_DELAY, signal, ALIVE);
      }
    }
  }

  /** Consumes changes as long as the lease is held. */
  async #consume(lease: Lease): Promise<void> {
    const { id, closing } = this.#consumption;
    const signal = AbortSignal.any([lease.signal, closing]);
    const { revision } = await this.#retry(signal, 'the cursor', () => lease.read((entities) => entities.require(cursorKind, id)));
    this.#handled = this.#stored = revision ?? 0;
    const read: ReadRecords = (query) => this.#retry(signal, `reading after ${this.#handled}`, () => readLog(lease)(query));
    const untilGrown = (revision: number) => this.#services.logWatch.growsBeyond(revision, signal);
    try {
      for await (const page of followLog(read, this.#handled, { batch: PAGE, untilGrown, signal }))
        await this.#handlePage(page, lease, signal);
    } finally {
      // Records handled changes even if the consumer was closed before the cursor was written.
      await lease.release((entities) => advance(entities, id, this.#handled));
    }
  }

  async #handlePage({ changes, missingUpTo }: LogPage, lease: Lease, signal: AbortSignal): Promise<void> {
    const { isWanted, handle, handleMissing } = this.#consumption;
    if (missingUpTo !== undefined) {
      const from = this.#handled + 1;
      await this.#handleWithRetries(signal, `the missing changes ${from} to ${missingUpTo}`, () =>
        handleMissing(from, missingUpTo, signal),
      );
      this.#handled = missingUpTo;
      await this.#storeCursor(lease, signal);
    }
    for (const change of changes) {
      const wanted = isWanted(change.entity);
      if (wanted) await this.#handleWithRetries(signal, `the change ${change.revision}`, () => handle(change, signal));
      this.#handled = change.revision;
      // Unwanted changes do not cost a write.
      if (wanted || this.#handled - this.#stored >= FAR_BEHIND) await this.#storeCursor(lease, signal);
    }
  }

  #handleWithRetries(signal: AbortSignal, what: string, step: () => unknown): Promise<void> {
    return this.#retry(signal, what, () => settleOrTimeOut(this.#services.platform.clock, signal, step));
  }

  async #storeCursor(lease: Lease, signal: AbortSignal): Promise<void> {
    const { id } = this.#consumption;
    await this.#retry(signal, `the cursor at ${this.#handled}`, () => lease.write((entities) => advance(entities, id, this.#handled)));
    this.#stored = this.#handled;
  }

  /**
   * Repeats a step until it succeeds, with exponential backoff.
   * @param what the purpose of the step, for the log
   * @throws the reason of `signal`; LeaseLost
   */
  async #retry<T>(signal: AbortSignal, what: string, step: () => Promise<T>): Promise<T> {
    for (let delay = MIN_DELAY; ; delay = Math.min(2 * delay, MAX_DELAY)) {
      signal.throwIfAborted();
      try {
        return await step();
      } catch (error) {
        if (signal.aborted || error instanceof LeaseLost) throw error;
        const consumer = this.#consumption.id;
        this.#log('warn', 'a consumer of changes failed; it retries', { consumer, what, error: String(error) });
      }
      await pause(this.#services.platform.clock, delay, signal, ALIVE);
    }
  }
}

/** Awaits a step, but only briefly once `signal` is aborted. */
const settleOrTimeOut = async (clock: Platform['clock'], signal: AbortSignal, step: () => unknown): Promise<void> => {
  const { promise: timedOut, reject } = Promise.withResolvers<never>();
  const stops: (() => void)[] = [];
  const onAbort = () => void stops.push(after(clock, ABORTED_HANDLER_TIMEOUT, () => reject(signal.reason)));
  signal.addEventListener('abort', onAbort);
  try {
    await Promise.race([(async () => step())(), timedOut]);
  } finally {
    signal.removeEventListener('abort', onAbort);
    for (const stop of stops) stop();
  }
};
