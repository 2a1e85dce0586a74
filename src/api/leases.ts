import * as z from 'zod';
import { readOnly, resource, string, timestamp } from './kit/index.ts';

/** The right of one of several controllers to do something. The id names the work: `snapshot`, `schedule/...`, `presence/...`, `controller/...`, `circuit/...`. A released lease has no row. */
export const lease = resource({
  kind: 'lease',
  collection: 'leases',
  names: ['Lease', 'Leases'],
  about:
    'A lease gives one of several controllers the right to do something until it expires or is renewed; if that controller is lost, another takes over.',
  unrecorded: true,
  fields: {
    /** A random fencing token, drawn at each acquisition, so that a controller that lost the lease does not hold the next one. */
    holder: readOnly(string, { keep: 'hidden' }),
    /** From then on another may acquire it, by the clock of that other. */
    until: readOnly(timestamp, { keep: 'hidden' }),
    /** Data that the holder publishes to other controllers. Its form depends on the name of the lease; readers validate it. */
    told: readOnly(z.unknown(), { keep: 'hidden' }),
  },
});
