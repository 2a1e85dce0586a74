import * as z from 'zod';
import { data, group, list, operation, string } from './kit/index.ts';
import { jsonMap, shortText } from './shared.ts';
import { surfaces } from './surfaces/index.ts';

/** Maximum number of operations in a batch. */
export const MAX_OPERATIONS = 1000;

/** The number of operations that a body can hold at all: more than `MAX_OPERATIONS`, so that the answer to a batch that is too large can say so. */
const MAX_LISTED = 50_000;

/** One operation of a batch. */
export const batchedOperation = z
  .strictObject({
    operation: shortText.meta({ description: 'Name in the API: `identities.create`.' }),
    input: jsonMap.optional().meta({
      description:
        'What the operation takes: `{ id, body }`. `$1.id` stands for the id that operation 1 answered with, `$$1.id` for that text.',
    }),
    ifVersion: z.int().min(1).optional().meta({ description: 'The version that the entity must have. Default: any.' }),
  })
  .meta({ id: 'BatchedOperation' });

export const batchedOperations = list(batchedOperation, MAX_LISTED).meta({
  description: 'At most 1,000, in the order in which they are carried out.',
});

/** Operations to carry out in one transaction. */
const batchBody = z
  .strictObject({
    operations: batchedOperations,
    ifRevision: z
      .int()
      .min(0)
      .optional()
      .meta({ description: 'The revision since which the configuration of the network must not have changed. Default: any.' }),
  })
  .meta({ id: 'Batch' });

/** What one operation of a batch answered. */
const batchedResult = z
  .object({
    /** Name of the operation. */
    operation: string,
    id: string.optional().meta({ description: 'Id of the entity that it created or was about.' }),
    output: z.unknown().meta({ description: 'Its answer.' }),
  })
  .meta({ id: 'BatchedResult' });

/** What the operations of a batch answered. */
export const batchResult = z
  .object({
    /** The results of the operations, in their order. */
    results: z.array(batchedResult),
    revision: z.int().meta({ description: 'The last revision of the network after the operations.' }),
  })
  .meta({ id: 'BatchResult' });

export const batch = group('batch', 'Batches', {
  run: operation('POST', '/batch', {
    operationId: 'runBatch',
    summary: 'Carry out several operations in one transaction: all of them, or none',
    permission: 'session',
    byToken: true,
    isBatch: true,
    standalone: 'its operations can be parts themselves',
    surfaces: [surfaces.extensions],
    body: { schema: batchBody, name: 'batch' },
    answer: data(batchResult),
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED', 'CONFLICT'],
  }),
});
