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

/** A consumer's name, cursor and handlers. */
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
const LOOK_MS = 5000;
/** Exponential backoff after a failure. ms */
const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 60_000;
/** How long to wait for a handler after its signal was aborted. ms */
const LAST_WORDS = 2000;
/** Keeps alive a process that only consumes changes. */
const ALIVE = { keepsAlive: true } as const;

/**
 * Consumes changes until the job ends or `closing` is aborted.
 * @param opened called when the cursor exists: no later change is missed
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
  const persist = async <T>(signal: AbortSignal, what: string, step: () => Promise<T>): Promise<T> => {
    for (let length = FIRST_PAUSE; ; length = Math.min(2 * length, LONGEST_PAUSE)) {
      signal.throwIfAborted();
      try {
        return await step();
      } catch (error) {
        if (signal.aborted || error instanceof LeaseLost) throw error;
        log('warn', 'a consumer of changes failed; it retries', { consumer: id, what, error: String(error) });
      }
      await pause(clock, length, signal, ALIVE);
    }
  };

  const underLease = async (lease: Lease): Promise<void> => {
    const signal = AbortSignal.any([lease.signal, closing]);
    const { revision } = await persist(signal, 'the cursor', () => lease.read((entities) => entities.require(cursorKind, id)));
    let kept = revision ?? 0;
    let done = kept;
    const keep = async () => {
      await persist(signal, `the cursor at ${done}`, () => lease.write((entities) => advance(entities, id, done)));
      kept = done;
    };
    const work = (what: string, step: () => unknown) => persist(signal, what, () => settled(clock, signal, step));
    try {
      const read: ReadRecords = (query) => persist(signal, `reading after ${done}`, () => readLog(lease)(query));
      const untilGrown = (revision: number) => logWatch.growsBeyond(revision, signal);
      for await (const { changes, missingUpTo } of followLog(read, done, { batch: PAGE, untilGrown, signal })) {
        if (missingUpTo !== undefined) {
          await work(`the missing changes ${done + 1} to ${missingUpTo}`, () => handleMissing(done + 1, missingUpTo, signal));
          done = missingUpTo;
          await keep();
        }
        for (const change of changes) {
          const wanted = isWanted(change.entity);
          if (wanted) await work(`the change ${change.revision}`, () => handle(change, signal));
          done = change.revision;
          // Unwanted changes do not cost a write.
          if (wanted || done - kept >= FAR_BEHIND) await keep();
        }
      }
    } finally {
      // Records handled changes even if the consumer was closed before the cursor was written.
      await lease.release((entities) => advance(entities, id, done));
    }
  };

  const signal = AbortSignal.any([job.signal, closing]);
  await persist(signal, 'the cursor', () => job.write((entities) => openCursor(entities, id, at)));
  opened();
  while (!signal.aborted) {
    try {
      const { lease, heldUntil } = await persist(signal, 'the lease', () => acquireLease(job, platform, id, LEASE_MS));
      if (lease) await underLease(lease);
      else await pause(clock, Math.min(Math.max(Date.parse(heldUntil) - clock.now(), 1), LOOK_MS), signal, ALIVE);
    } catch (error) {
      if (signal.aborted) return;
      log('warn', 'a consumer of changes lost its lease or failed; it starts again', { consumer: id, error: String(error) });
      await pause(clock, FIRST_PAUSE, signal, ALIVE);
    }
  }
};

/** Awaits a step, but only briefly once `signal` is aborted. */
const settled = async (clock: Platform['clock'], signal: AbortSignal, step: () => unknown): Promise<void> => {
  const { promise: timedOut, reject } = Promise.withResolvers<never>();
  const stops: (() => void)[] = [];
  const onAbort = () => void stops.push(after(clock, LAST_WORDS, () => reject(signal.reason)));
  signal.addEventListener('abort', onAbort);
  try {
    await Promise.race([(async () => step())(), timedOut]);
  } finally {
    signal.removeEventListener('abort', onAbort);
    for (const stop of stops) stop();
  }
};
