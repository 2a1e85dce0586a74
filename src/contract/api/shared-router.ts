import * as z from 'zod';
import { reachedAddresses } from './router-hello.ts';
import { shortLine, syncStatus } from './router-reports.ts';
import { capabilityBits, versionInfo } from './router-software.ts';

/** A connected router, as a controller shares it with others. Stored rows have the same bounds as reports of routers. */
export const sharedRouter = z.object({
  key: z.object({ id: shortLine, enrolledBy: shortLine }),
  /** When the router connected, in milliseconds since 1970, by the clock of its controller. */
  since: z.int(),
  state: z.object({
    syncStatus,
    versionInfo,
    /** Absent if the router does not report them, or if its controller is of an earlier release. */
    capabilities: capabilityBits.optional(),
    /** Addresses at which clients reach the router; absent until the router has reported them. */
    reached: reachedAddresses.optional(),
  }),
});
