import * as z from 'zod';
import { osType } from './posture-checks/os-type.ts';
import { flag, links, text, timestamp } from './shared.ts';

const process = z.object({ osType, path: text });

/** What one posture check asks of the client, and how it stands for the session that asks. */
const postureQuery = z
  .object({
    _links: links,
    createdAt: timestamp,
    id: text,
    tags: z.record(text, z.union([text, z.boolean(), z.null()])),
    updatedAt: timestamp,
    queryType: text.meta({ description: 'The type of the check.' }),
    isPassing: flag,
    timeout: z.int().meta({ description: 'Seconds that an answer counts, -1 for no end.' }),
    timeoutRemaining: z.int().meta({ description: 'Seconds until the check fails unless it is answered again, -1 for no end.' }),
    timeoutAt: timestamp.optional(),
    process: process.optional(),
    processes: z.array(process).nullable(),
    promptOnWake: flag.optional(),
    promptOnUnlock: flag.optional(),
  })
  .meta({ id: 'PostureQuery' });
export type PostureQuery = z.infer<typeof postureQuery>;

/** What a client must prove before a policy lets it in. */
export const postureQueries = z
  .object({ policyId: text, policyType: z.enum(['Dial', 'Bind']), isPassing: flag, postureQueries: z.array(postureQuery) })
  .meta({ id: 'PostureQueries' });
