import * as z from 'zod';
import { readOnly, resource, string, timestamp } from './kit/index.ts';

/** The number of ends of grants that one actor has set for one minute. Ends that were changed or removed since are included. */
export const endCount = resource({
  kind: 'endCount',
  collection: 'end-counts',
  names: ['EndCount', 'EndCounts'],
  about: 'An end count is the number of ends of grants that one actor has set for one minute. It limits how many more the actor may set.',
  unrecorded: true,
  fields: {
    /** The actor, as change records name it. */
    actor: readOnly(string, { keep: 'hidden', index: true }),
    /** The start of the minute. */
    minute: readOnly(timestamp, { keep: 'hidden', index: true }),
    ends: readOnly(z.int(), { keep: 'hidden', default: 0 }),
  },
});
