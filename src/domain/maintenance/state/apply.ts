import type { DecodedOf, OutputOf } from '../../../api/kit/index.ts';
import type { StatePlan, state } from '../../../api/state.ts';
import { runBatch } from '../../../call/batch.ts';
import type { Call } from '../../../call/call.ts';
import type { Entities } from '../../../entities/entities.ts';
import { invalidField } from '../../../errors/index.ts';
import { planIn } from './plan.ts';
import { assertUnmoved } from './unmoved.ts';

type Operation = typeof state.operations.apply;
type Body = DecodedOf<Operation>['body'];

/** Carries out a plan, or plans a document and carries that out. Each operation is authorized by its own right. */
export const applyState = async (call: Call, { body }: DecodedOf<Operation>): Promise<OutputOf<Operation>> => {
  refuseHalves(body);
  return call.write(async (entities) => {
    const operations = await operationsOf(entities, call, body);
    const { results, revision } = await runBatch(call, entities, operations);
    return { revision, results: results.map(({ operation, id }) => ({ operation, ...(id === undefined ? {} : { id }) })) };
  });
};

const operationsOf = async (
  entities: Entities,
  call: Call,
  { document, prune, operations = [], revision = 0 }: Body,
): Promise<StatePlan['operations']> => {
  if (document) return (await planIn(entities, call, { document, prune })).operations;
  await assertUnmoved(entities, revision, call);
  return operations;
};

/** @throws ApiError `COULD_NOT_VALIDATE` for a body that is neither a plan nor a document, or both */
const refuseHalves = ({ document, prune, operations, revision }: Body): void => {
  if (document && (operations || revision !== undefined))
    throw invalidField('document', 'give either a plan, with revision and operations, or a document', undefined);
  if (!document && (operations === undefined || revision === undefined))
    throw invalidField(operations ? 'revision' : 'operations', 'a plan has revision and operations: give both, or a document', undefined);
  if (!document && prune !== undefined) throw invalidField('prune', 'prune is for a document: a plan already has its deletions', prune);
};
