import { batch } from '../../../api/batch.ts';
import type { DecodedOf, OutputOf } from '../../../api/kit/operation.ts';
import { checkBatch, runBatch } from '../../../call/batch.ts';
import type { Call } from '../../../call/call.ts';
import { implement } from '../../../call/implement.ts';
import type { Entities } from '../../../entities/entities.ts';
import { explained } from '../../../errors/index.ts';

type Run = typeof batch.operations.run;

const run = async (call: Call, { body: { operations, ifRevision } }: DecodedOf<Run>): Promise<OutputOf<Run>> => {
  checkBatch(operations);
  return call.write(async (entities) => {
    if (ifRevision !== undefined) await assertRevision(entities, ifRevision);
    return runBatch(call, entities, operations);
  });
};

/** @throws ApiError `PRECONDITION_FAILED` if the network has another revision */
const assertRevision = async (entities: Entities, expected: number): Promise<void> => {
  const revision = await entities.revision();
  if (revision !== expected)
    throw explained(
      'PRECONDITION_FAILED',
      `the network has revision ${revision}, and the batch expects ${expected}: something has changed since`,
    );
};

export const batchEntries = implement(batch, { run });
