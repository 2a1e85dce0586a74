import * as z from 'zod';
import type { Predicate } from '../query/predicate.ts';
import { readOnly, resource, string } from './kit/index.ts';
import { boolean } from './shared.ts';

/** Not validated: clients never send it. */
const predicate = z.custom<Predicate>();

/** The unfinished part of a review of sessions: the change affected too many of them for one transaction. */
export const sessionReview = resource({
  kind: 'sessionReview',
  collection: 'session-reviews',
  names: ['SessionReview', 'SessionReviews'],
  about:
    'A session review is the rest of checking the sessions that a change affects, if they are many: it is done in steps, each in its own transaction.',
  unrecorded: true,
  fields: {
    /** The predicate that selects the sessions. */
    sessions: readOnly(predicate, { keep: 'hidden' }),
    /** Sessions up to this id have been reviewed. */
    lastId: readOnly(string, { keep: 'hidden' }),
    /** True if the sessions may have lost their right: until they are reviewed, each use checks it. */
    isInDoubt: readOnly(boolean, { keep: 'hidden', default: false }),
  },
});
