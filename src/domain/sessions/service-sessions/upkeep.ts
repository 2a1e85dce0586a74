import type { CarryOut } from '../../../changes/writer.ts';
import type { Background, Job } from '../../../jobs/background.ts';
import type { Platform } from '../../../platform/platform.ts';
import { createRepeatedLog } from '../../../platform/repeated-log.ts';
import { pause } from '../../../platform/timers.ts';
import { continueReview, isReviewLeft, reviewChanges } from './reviews.ts';

/** What keeps sessions true to the rights that they live by. It is part of every write, and no matter of those who write. */
export interface SessionUpkeep {
  readonly carryOut: CarryOut;
  /** Does what writes left, in the background. Called again while it works, it goes on until nothing is left. */
  goOn(background: Background): void;
}

const ORIGIN = { actor: 'system', requestId: 'sessions' };
/** Before a step that failed is tried again. ms */
const PAUSE = 1000;

export const createSessionUpkeep = (platform: Pick<Platform, 'clock' | 'logger'>): SessionUpkeep => {
  const { clock } = platform;
  const log = createRepeatedLog(platform);
  const now = () => new Date(clock.now()).toISOString();
  let isWorking = false;
  let isAsked = false;

  const step = async ({ read, write, signal }: Job): Promise<boolean> => {
    try {
      return (await read(isReviewLeft)) && (await write((entities) => continueReview(entities, now())));
    } catch (error) {
      if (!signal.aborted) log('warn', 'sessions could not be looked at again, which is tried once more', { error: String(error) });
      await pause(clock, PAUSE, signal);
      return true;
    }
  };

  const work = async (job: Job): Promise<void> => {
    do {
      isAsked = false;
      while (!job.signal.aborted && (await step(job)));
    } while (isAsked && !job.signal.aborted);
    isWorking = false;
  };

  return {
    carryOut: async (entities, work) => {
      const result = await work(entities);
      return { result, isUnfinished: await reviewChanges(entities, now()) };
    },
    goOn: (background) => {
      isAsked = true;
      if (isWorking) return;
      isWorking = true;
      // It fails only where the controller is closed already.
      background.run(ORIGIN, work).catch(() => undefined);
    },
  };
};
