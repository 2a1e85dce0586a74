import * as z from 'zod';
import { data, group, list, operation, string } from './kit/index.ts';
import { jsonMap, shortText } from './shared.ts';
import { surfaces } from './surfaces/index.ts';

/** Maximum number of operations in a batch. */
export const MAX_OPERATIONS = 1000;

/** Bound of the list in the schema, far above `MAX_OPERATIONS`: the handler refuses batches that are too large with a specific error. */
const MAX_LISTED = 50_000;

/** One operation of a batch. */
export const batchedOperation = z
  .strictObject({
    operation: shortText.meta({ description: 'Name in the API: `identities.create`.' }),
    input: jsonMap.optional().meta({
      description:
        'The input of the operation: `{ id, body }`. `$1.id` is replaced by the id in the answer of operation 1; write `$$1.id` for the literal text `$1.id`.',
    }),
    ifVersion: z.int().min(1).optional().meta({ description: 'The version that the entity must have. Default: any.' }),
  })
  .meta({ id: 'BatchedOperation' });

export const batchedOperations = list(batchedOperation, MAX_LISTED).meta({
  description: 'The operations, in the order of execution; at most 1,000.',
});

/** Operations to run in one transaction. */
const batchBody = z
  .strictObject({
    operations: batchedOperations,
    ifRevision: z.int().min(0).optional().meta({
      description: 'Run the batch only if the configuration of the network has not changed since this revision. Default: always.',
    }),
  })
  .meta({ id: 'Batch' });

/** The answer of one operation of a batch. */
const batchedResult = z
  .object({
    /** Name of the operation. */
    operation: string,
    id: string.optional().meta({ description: 'Id of the entity that the operation created or addressed.' }),
    output: z.unknown().meta({ description: 'The answer of the operation.' }),
  })
  .meta({ id: 'BatchedResult' });

/** The answers of the operations of a batch. */
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
    summary: 'Run several operations in one transaction: all of them, or none',
    permission: 'session',
    byToken: true,
    isBatch: true,
    standalone: 'batches cannot be nested',
    surfaces: [surfaces.extensions],
    body: { schema: batchBody, name: 'batch' },
    answer: data(batchResult),
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED', 'CONFLICT'],
  }),
});
