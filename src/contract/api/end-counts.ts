import * as z from 'zod';
import { readOnly, resource, string, timestamp } from './kit/index.ts';

/** Counts the ends that one actor has set for grants, by minute. Ends that have since been changed or removed are included. */
export const endCount = resource({
  kind: 'endCount',
  collection: 'end-counts',
  names: ['EndCount', 'EndCounts'],
  about: 'An end count is the number of grants that one actor lets end in the same minute. It limits how many more the actor may set.',
  unrecorded: true,
  fields: {
    /** The actor, as change records name it. */
    actor: readOnly(string, { keep: 'hidden', index: true }),
    /** The start of the minute. */
    minute: readOnly(timestamp, { keep: 'hidden', index: true }),
    ends: readOnly(z.int(), { keep: 'hidden', default: 0 }),
  },
});
