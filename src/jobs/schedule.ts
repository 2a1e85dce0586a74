import type { Platform } from '../platform/platform.ts';
import { createRepeatedLog } from '../platform/repeated-log.ts';
import { pause } from '../platform/timers.ts';
import type { Background, Job } from './background.ts';
import { acquireLease, type Lease } from './lease.ts';

/** Something that is done again and again as long as a controller is open. */
export interface Schedule {
  /** Names the lease of the runs, and stands in the change records of what they write. */
  readonly name: string;
  /** From the beginning of a run to that of the next. ms, at most `MOST` */
  readonly every: number;
  /**
   * `each`: every controller has its own runs. `one`: one of the controllers on a store makes each run; the others wait until the next one is due.
   */
  readonly by: 'each' | 'one';
}

/** Access to the store in a run; if a run is by one controller, it is under its lease. */
export type Run = Pick<Lease, 'signal' | 'read' | 'write'>;

/** The longest pause that every runtime's timers take. ms */
const MOST = 2 ** 31 - 1;
/** After which a controller that was lost in a run is succeeded by another. ms */
const LEASE_MS = 60_000;

/**
 * Runs `work` as the schedule says: at once, unless another controller's run counts, and whenever it is due again. A run that fails is logged, and
 * counts. One that takes longer than the schedule's pause is followed by the next at once.
 * @throws RangeError for a pause out of bounds
 */
export const schedule = (
  background: Background,
  platform: Pick<Platform, 'clock' | 'random' | 'logger'>,
  { name, every, by }: Schedule,
  work: (run: Run) => Promise<void>,
): void => {
  if (!(every >= 1 && every <= MOST)) throw new RangeError(`schedule ${name}: every must be from 1 to ${MOST} milliseconds, got ${every}`);
  const { clock } = platform;
  const log = createRepeatedLog(platform);

  const attempt = async (run: Run): Promise<void> => {
    try {
      await work(run);
    } catch (error) {
      if (!run.signal.aborted)
        log('warn', 'a scheduled run failed; the next one starts as scheduled', { schedule: name, error: String(error) });
    }
  };
  /** @returns when the next run is due, ms since 1970 */
  const runOnce = async (job: Job): Promise<number> => {
    const due = clock.now() + every;
    if (by === 'each') {
      await attempt(job);
      return due;
    }
    const { lease, heldUntil } = await acquireLease(job, platform, `schedule/${name}`, LEASE_MS);
    if (!lease) return Date.parse(heldUntil);
    await attempt(lease);
    // The lease shows other controllers when the next run is due. A run that was cut short by the end of this controller is due at once.
    await lease.release(undefined, job.signal.aborted ? undefined : due);
    return due;
  };
  const loop = async (job: Job): Promise<void> => {
    while (!job.signal.aborted) {
      const next = await runOnce(job).catch((error: unknown) => {
        if (!job.signal.aborted)
          log(
            'warn',
            'could not acquire or release the lease of a scheduled run; the next attempt follows after the interval of the schedule',
            { schedule: name, error: String(error) },
          );
        return clock.now() + every;
      });
      // Never longer than the schedule, even if another controller's clock is wrong.
      await pause(clock, Math.min(Math.max(next - clock.now(), 1), every), job.signal);
    }
  };
  // It fails only where the controller is closed already.
  background.run({ actor: 'system', requestId: name }, loop).catch(() => undefined);
};
