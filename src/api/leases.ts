import * as z from 'zod';
import { readOnly, resource, string, timestamp } from './kit/index.ts';

/**
 * The exclusive right of one controller to do some work. The id names the work: `snapshot`, `schedule/...`, `presence/...`, `controller/...`,
 * `circuit/...`. A released lease has no row.
 */
export const lease = resource({
  kind: 'lease',
  collection: 'leases',
  names: ['Lease', 'Leases'],
  about:
    'A lease gives one of several controllers the right to do something until it expires or is renewed; if that controller is lost, another takes over.',
  unrecorded: true,
  fields: {
    /** A random token, new for each acquisition, so that a controller that lost the lease cannot mistake the next one for its own. */
    holder: readOnly(string, { keep: 'hidden' }),
    /** Expiry: from then on, by its own clock, another controller may acquire the lease. */
    until: readOnly(timestamp, { keep: 'hidden' }),
    /** Data that the holder publishes to other controllers. Its form depends on the name of the lease; readers validate it. */
    told: readOnly(z.unknown(), { keep: 'hidden' }),
  },
});
