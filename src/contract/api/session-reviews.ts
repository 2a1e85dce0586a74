import * as z from 'zod';
import type { Predicate } from '../../query/predicate.ts';
import { readOnly, resource, string } from './kit/index.ts';
import { boolean } from './shared.ts';

/** Not validated: clients never send it. */
const predicate = z.custom<Predicate>();

/** The remaining part of a review of sessions that affects too many of them for one transaction. */
export const sessionReview = resource({
  kind: 'sessionReview',
  collection: 'session-reviews',
  names: ['SessionReview', 'SessionReviews'],
  about:
    'A session review checks the remaining sessions that a change affects if there are too many for one transaction. Each step runs in a separate transaction.',
  unrecorded: true,
  fields: {
    /** The predicate that selects the sessions. */
    sessions: readOnly(predicate, { keep: 'hidden' }),
    /** Sessions up to this id have been reviewed. */
    lastId: readOnly(string, { keep: 'hidden' }),
    /** True if the sessions may no longer be permitted. Until they have been reviewed, each use of them is checked. */
    isInDoubt: readOnly(boolean, { keep: 'hidden', default: false }),
  },
});
