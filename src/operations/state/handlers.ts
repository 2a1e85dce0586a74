import { runBatch } from '../../call/batch.ts';
import type { Call } from '../../call/call.ts';
import { implement } from '../../call/implement.ts';
import type { DecodedOf, OutputOf } from '../../contract/api/kit/index.ts';
import { type StatePlan, state } from '../../contract/api/state.ts';
import { invalidField } from '../../contract/errors/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { exportState } from './export.ts';
import { planIn, planState } from './plan.ts';
import { assertUnmoved } from './unmoved.ts';

type Operation = typeof state.operations.apply;
type Body = DecodedOf<Operation>['body'];

/** Applies a plan, or plans a document and applies the plan. Each operation is authorized separately. */
const applyState = async (call: Call, { body }: DecodedOf<Operation>): Promise<OutputOf<Operation>> => {
  assertPlanOrDocument(body);
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
const assertPlanOrDocument = ({ document, prune, operations, revision }: Body): void => {
  if (document && (operations || revision !== undefined))
    throw invalidField('document', 'the body must have either a plan (revision and operations) or a document', undefined);
  if (!document && (operations === undefined || revision === undefined))
    throw invalidField(
      operations ? 'revision' : 'operations',
      'the body must have either a plan (revision and operations) or a document',
      undefined,
    );
  if (!document && prune !== undefined)
    throw invalidField('prune', 'prune applies to a document: a plan already contains its deletions', prune);
};

export const stateEntries = implement(state, { export: exportState, plan: planState, apply: applyState });
