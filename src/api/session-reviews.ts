import * as z from 'zod';
import type { Predicate } from '../query/predicate.ts';
import { readOnly, resource, string } from './kit/index.ts';
import { boolean } from './shared.ts';

/** Plain data that no client sends. */
const predicate = z.custom<Predicate>();

/** The rest of a review of sessions that one transaction could not complete, because a change affected too many of them. */
export const sessionReview = resource({
  kind: 'sessionReview',
  collection: 'session-reviews',
  names: ['SessionReview', 'SessionReviews'],
  about:
    'A session review is the rest of checking the sessions that a change affects, if they are many: it is done in steps, each in its own transaction.',
  unrecorded: true,
  fields: {
    /** The predicate that the sessions satisfy. */
    sessions: readOnly(predicate, { keep: 'hidden' }),
    /** Those up to this id were looked at. */
    lastId: readOnly(string, { keep: 'hidden' }),
    /** True if they may have lost their right: until the review, each use checks it. */
    isInDoubt: readOnly(boolean, { keep: 'hidden', default: false }),
  },
});
