import type { AroundWrite } from '../../../entities/writer.ts';
import type { Background } from '../../../jobs/background.ts';
import { createDrain } from '../../../jobs/drain.ts';
import type { Platform } from '../../../platform/platform.ts';
import { continueReview, isReviewLeft, reviewChanges } from './reviews.ts';

/** The hooks by which every write ends the sessions whose rights it takes away, so that no handler has to. */
export interface SessionHooks {
  readonly aroundWrite: AroundWrite;
  /** Continues the reviews that writes left, in the background, until none is left. Safe to call while it runs. */
  continueReviews(background: Background): void;
}

export const createSessionHooks = (platform: Pick<Platform, 'clock' | 'logger'>): SessionHooks => {
  const now = () => new Date(platform.clock.now()).toISOString();
  return {
    aroundWrite: async (entities, work) => {
      const result = await work(entities);
      return { result, isUnfinished: await reviewChanges(entities, now()) };
    },
    continueReviews: createDrain(platform, {
      attribution: { actor: 'system', requestId: 'sessions' },
      step: async ({ read, write }) => (await read(isReviewLeft)) && (await write((entities) => continueReview(entities, now()))),
      failure: 'could not review the sessions that a change affects; retrying',
    }),
  };
};
