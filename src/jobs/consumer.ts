/**
 * A durable consumer of the change log: it handles each change at least once and in order, on one of the controllers of a store at a time. Its cursor is
 * in the store, and advances when a change has been handled.
 */
import { cursor as cursorKind } from '../api/cursors.ts';
import type { Change, ChangedKind } from '../changelog/events.ts';
import { followLog, type ReadRecords } from '../changelog/follow.ts';
import type { LogWatch } from '../changelog/watch.ts';
import { after, pause } from '../platform/clock.ts';
import type { Platform } from '../platform/platform.ts';
import { createRepeatedLog } from '../platform/repeated-log.ts';
import type { Job } from './background.ts';
import { advance, openCursor, readLog } from './cursor.ts';
import { acquireLease, type Lease, LeaseLost } from './lease.ts';

/** The name, start and handlers of a consumer. */
export interface Consumption {
  /** Names the cursor and the lease. */
  readonly id: string;
  /** Where a new cursor starts. */
  readonly at: 'oldest' | 'next';
  readonly isWanted: (kind: ChangedKind) => boolean;
  /** Handles a change. If it rejects, it is called again with the same change, after a delay. */
  readonly handle: (change: Change, signal: AbortSignal) => unknown;
  /** Handles a gap in the log, with the same retries. */
  readonly handleMissing: (from: number, to: number, signal: AbortSignal) => unknown;
}

export interface ConsumerParts {
  readonly platform: Pick<Platform, 'clock' | 'random' | 'logger'>;
  readonly logWatch: LogWatch;
}

/** Number of changes read per transaction. */
const PAGE = 100;
/** Number of unwanted changes after which the cursor is written anyway. */
const FAR_BEHIND = 1000;
/** Time after which another controller takes over from a lost one. ms */
const LEASE_MS = 30_000;
/** How often a controller checks whether another one has released the lease. ms */
const LEASE_POLL_MS = 5000;
/** Minimum and maximum delay of the exponential backoff after failures. ms */
const MIN_DELAY = 1000;
const MAX_DELAY = 60_000;
/** How long to wait for a handler after its signal is aborted. ms */
const ABORTED_HANDLER_TIMEOUT = 2000;
/** Keeps alive a process that only consumes changes. */
const ALIVE = { keepsAlive: true } as const;

/**
 * Consumes changes until the job ends or `closing` is aborted.
 * @param opened called once the cursor exists: from then on, no change is missed
 */
export const consumeChanges = async (
  job: Job,
  { platform, logWatch }: ConsumerParts,
  { id, at, isWanted, handle, handleMissing }: Consumption,
  closing: AbortSignal,
  opened: () => void,
): Promise<void> => {
  const { clock } = platform;
  const log = createRepeatedLog(platform);

  /** Repeats a step until it succeeds. @throws the reason of `signal`; LeaseLost */
  const retry = async <T>(signal: AbortSignal, what: string, step: () => Promise<T>): Promise<T> => {
    for (let delay = MIN_DELAY; ; delay = Math.min(2 * delay, MAX_DELAY)) {
      signal.throwIfAborted();
      try {
        return await step();
      } catch (error) {
        if (signal.aborted || error instanceof LeaseLost) throw error;
        log('warn', 'a consumer of changes failed; it retries', { consumer: id, what, error: String(error) });
      }
      await pause(clock, delay, signal, ALIVE);
    }
  };

  const underLease = async (lease: Lease): Promise<void> => {
    const signal = AbortSignal.any([lease.signal, closing]);
    const { revision } = await retry(signal, 'the cursor', () => lease.read((entities) => entities.require(cursorKind, id)));
    let storedRevision = revision ?? 0;
    let handledRevision = storedRevision;
    const storeCursor = async () => {
      await retry(signal, `the cursor at ${handledRevision}`, () => lease.write((entities) => advance(entities, id, handledRevision)));
      storedRevision = handledRevision;
    };
    const work = (what: string, step: () => unknown) => retry(signal, what, () => settleOrTimeOut(clock, signal, step));
    try {
      const read: ReadRecords = (query) => retry(signal, `reading after ${handledRevision}`, () => readLog(lease)(query));
      const untilGrown = (revision: number) => logWatch.growsBeyond(revision, signal);
      for await (const { changes, missingUpTo } of followLog(read, handledRevision, { batch: PAGE, untilGrown, signal })) {
        if (missingUpTo !== undefined) {
          await work(`the missing changes ${handledRevision + 1} to ${missingUpTo}`, () =>
            handleMissing(handledRevision + 1, missingUpTo, signal),
          );
          handledRevision = missingUpTo;
          await storeCursor();
        }
        for (const change of changes) {
          const wanted = isWanted(change.entity);
          if (wanted) await work(`the change ${change.revision}`, () => handle(change, signal));
          handledRevision = change.revision;
          // Unwanted changes do not cost a write.
          if (wanted || handledRevision - storedRevision >= FAR_BEHIND) await storeCursor();
        }
      }
    } finally {
      // Records handled changes even if the consumer was closed before the cursor was written.
      await lease.release((entities) => advance(entities, id, handledRevision));
    }
  };

  const signal = AbortSignal.any([job.signal, closing]);
  await retry(signal, 'the cursor', () => job.write((entities) => openCursor(entities, id, at)));
  opened();
  while (!signal.aborted) {
    try {
      const { lease, heldUntil } = await retry(signal, 'the lease', () => acquireLease(job, platform, id, LEASE_MS));
      if (lease) await underLease(lease);
      else await pause(clock, Math.min(Math.max(Date.parse(heldUntil) - clock.now(), 1), LEASE_POLL_MS), signal, ALIVE);
    } catch (error) {
      if (signal.aborted) return;
      log('warn', 'a consumer of changes lost its lease or failed; it starts again', { consumer: id, error: String(error) });
      await pause(clock, MIN_DELAY, signal, ALIVE);
    }
  }
};

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
