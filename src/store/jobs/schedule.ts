import { pause } from '../../runtime/platform/clock.ts';
import type { Platform } from '../../runtime/platform/platform.ts';
import { createRepeatedLog, type RepeatedLog } from '../../runtime/platform/repeated-log.ts';
import type { Background, Job } from './background.ts';
import { acquireLease, type Lease } from './lease.ts';

/** Periodic work while a controller is open. */
export interface Schedule {
  /** The name of the schedule and of the lease of its runs, which is also recorded with their writes. */
  readonly name: string;
  /** Interval between the starts of runs. ms, at most `MAX_DELAY` */
  readonly every: number;
  /** `each`: every controller runs the work. `one`: only one of the controllers on a store does; the others wait until the next run. */
  readonly by: 'each' | 'one';
}

/** Access to the store during a run; under the lease if only one controller runs the work. */
export type Run = Pick<Lease, 'signal' | 'read' | 'write'>;

/** The longest delay that timers accept in all runtimes. ms */
const MAX_DELAY = 2 ** 31 - 1;
/** Time after which another controller takes over from one that was lost during a run. ms */
const LEASE_MS = 60_000;

/**
 * Runs `work` on a schedule: immediately, unless another controller has already done so, and then at each interval. A failed run is logged,
 * not retried. If a run takes longer than the interval, the next one follows immediately.
 * @throws RangeError for an interval out of range
 */
export const schedule = (
  background: Background,
  platform: Pick<Platform, 'clock' | 'random' | 'logger'>,
  schedule: Schedule,
  work: (run: Run) => Promise<void>,
): void => {
  const { name, every } = schedule;
  if (!(every >= 1 && every <= MAX_DELAY))
    throw new RangeError(`schedule ${name}: every must be from 1 to ${MAX_DELAY} milliseconds, got ${every}`);
  const { clock } = platform;
  const log = createRepeatedLog(platform);
  const runOnce = createRun(platform, schedule, work, log);
  const loop = async (job: Job): Promise<void> => {
    while (!job.signal.aborted) {
      const next = await runOnce(job).catch((error: unknown) => {
        if (!job.signal.aborted)
          log('warn', 'the lease of a scheduled run could not be acquired or released; retrying after the interval of the schedule', {
            schedule: name,
            error: String(error),
          });
        return clock.now() + every;
      });
      // Never longer than the interval, even if another controller's clock is wrong.
      await pause(clock, Math.min(Math.max(next - clock.now(), 1), every), job.signal);
    }
  };
  // Rejects only if the controller is already closed.
  background.run({ actor: 'system', requestId: name }, loop).catch(() => undefined);
};

/** @returns a function that runs the work once, and returns when the next run is due, in ms since 1970 */
const createRun = (
  platform: Pick<Platform, 'clock' | 'random'>,
  { name, every, by }: Schedule,
  work: (run: Run) => Promise<void>,
  log: RepeatedLog,
): ((job: Job) => Promise<number>) => {
  const attempt = async (run: Run): Promise<void> => {
    try {
      await work(run);
    } catch (error) {
      if (!run.signal.aborted)
        log('warn', 'a scheduled run failed; the next one starts as scheduled', { schedule: name, error: String(error) });
    }
  };
  return async (job) => {
    const due = platform.clock.now() + every;
    if (by === 'each') {
      await attempt(job);
      return due;
    }
    const { lease, heldUntil } = await acquireLease(job, platform, `schedule/${name}`, LEASE_MS, Math.max(LEASE_MS, every));
    if (!lease) return Date.parse(heldUntil);
    await attempt(lease);
    // The lease shows other controllers when the next run is due: immediately, if this controller closed during the run.
    await lease.release(undefined, job.signal.aborted ? undefined : due);
    return due;
  };
};
