import type { CarryOut } from '../../../changes/writer.ts';
import type { Background } from '../../../jobs/background.ts';
import { createDrain } from '../../../jobs/drain.ts';
import type { Platform } from '../../../platform/platform.ts';
import { continueReview, isReviewLeft, reviewChanges } from './reviews.ts';

/** What keeps sessions true to the rights that they live by. It is part of every write, and no matter of those who write. */
export interface SessionUpkeep {
  readonly carryOut: CarryOut;
  /** Does what writes left, in the background. Called again while it works, it goes on until nothing is left. */
  goOn(background: Background): void;
}

export const createSessionUpkeep = (platform: Pick<Platform, 'clock' | 'logger'>): SessionUpkeep => {
  const now = () => new Date(platform.clock.now()).toISOString();
  return {
    carryOut: async (entities, work) => {
      const result = await work(entities);
      return { result, isUnfinished: await reviewChanges(entities, now()) };
    },
    goOn: createDrain(platform, {
      attribution: { actor: 'system', requestId: 'sessions' },
      step: async ({ read, write }) => (await read(isReviewLeft)) && (await write((entities) => continueReview(entities, now()))),
      failure: 'sessions could not be looked at again, which is tried once more',
    }),
  };
};
