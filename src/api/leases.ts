import * as z from 'zod';
import { string, timestamp } from './kit/entity.ts';
import { readOnly } from './kit/field.ts';
import { resource } from './kit/resource.ts';

/** The right of one of several controllers to do something. The id names the work: `snapshot`, `schedule/...`, `presence/...`, `controller/...`, `circuit/...`. A released lease has no row. */
export const lease = resource({
  kind: 'lease',
  collection: 'leases',
  names: ['Lease', 'Leases'],
  about:
    'A lease gives one of several controllers the right to do something until it expires or is renewed; if that controller is lost, another takes over.',
  unrecorded: true,
  fields: {
    /** Drawn anew each time the lease is acquired, so that a controller that lost it is no holder of the next one. */
    holder: readOnly(string, { keep: 'hidden' }),
    /** From then on another may acquire it, by the clock of that other. */
    until: readOnly(timestamp, { keep: 'hidden' }),
    /** What the holder tells other controllers. Its form depends on the name of the lease; readers validate it. */
    told: readOnly(z.unknown(), { keep: 'hidden' }),
  },
});
