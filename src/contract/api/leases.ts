import * as z from 'zod';
import { readOnly, resource, string, timestamp } from './kit/index.ts';

/**
 * The exclusive right of one controller to run a task. The id names the task: `snapshot`, `schedule/...`, `presence/...`,
 * `controller/...`, `circuit/...`. A released lease has no row.
 */
export const lease = resource({
  kind: 'lease',
  collection: 'leases',
  names: ['Lease', 'Leases'],
  about:
    'A lease gives one of several controllers the exclusive right to run a task until the lease expires. The holder renews it; if that controller fails, another one takes over.',
  unrecorded: true,
  fields: {
    /** A random token, new for each acquisition, so that a controller that lost the lease cannot mistake the next one for its own. */
    holder: readOnly(string, { keep: 'hidden' }),
    /** Expiry: another controller may acquire the lease once its own clock has passed this time. */
    until: readOnly(timestamp, { keep: 'hidden' }),
    /** Data that the holder shares with other controllers. Its format depends on the name of the lease; readers validate it. */
    told: readOnly(z.unknown(), { keep: 'hidden' }),
  },
});
