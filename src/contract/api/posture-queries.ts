import * as z from 'zod';
import { links, shownTags, string, timestamp } from './kit/index.ts';
import { osType } from './posture-checks/os-type.ts';
import { boolean } from './shared.ts';

const process = z.object({
  /** Operating system. */
  osType,
  /** Path of the program. */
  path: string,
});

/** A posture check that the endpoint is asked to report on, and its current result for the API session. */
const postureQuery = z
  .object({
    /** Relative addresses of the check and of related resources. */
    _links: links,
    /** When the check was created: ISO 8601, UTC. */
    createdAt: timestamp,
    /** Id of the check. */
    id: string,
    /** User-defined tags. */
    tags: shownTags,
    /** When the check last changed: ISO 8601, UTC. */
    updatedAt: timestamp,
    queryType: string.meta({ description: 'The type of the check.' }),
    /** True if the session currently passes the check. */
    isPassing: boolean,
    timeout: z.int().meta({ description: 'Seconds for which a response is valid; -1 if it does not expire.' }),
    timeoutRemaining: z
      .int()
      .meta({ description: 'Seconds until the check fails unless a new response arrives; -1 if responses do not expire.' }),
    /** When the check fails unless a new response arrives. */
    timeoutAt: timestamp.optional(),
    /** For a check of one program: the program that must run. */
    process: process.optional(),
    /** For a check of several programs: the programs that must run. */
    processes: z.array(process).nullable(),
    /** True if an MFA code is required after the endpoint wakes up. */
    promptOnWake: boolean.optional(),
    /** True if an MFA code is required after the endpoint is unlocked. */
    promptOnUnlock: boolean.optional(),
  })
  .meta({ id: 'PostureQuery' });
export type PostureQuery = z.infer<typeof postureQuery>;

/** The posture checks of one policy. */
export const postureQueries = z
  .object({
    /** Id of the service policy. */
    policyId: string,
    /** The right that the policy grants. */
    policyType: z.enum(['Dial', 'Bind']),
    /** True if the session currently passes all checks of the policy. */
    isPassing: boolean,
    /** The checks of the policy. */
    postureQueries: z.array(postureQuery),
  })
  .meta({ id: 'PostureQueries' });
