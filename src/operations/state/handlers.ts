import { runBatch } from '../../call/batch.ts';
import type { Call } from '../../call/call.ts';
import { implement } from '../../call/implement.ts';
import type { DecodedOf, OutputOf } from '../../contract/api/kit/index.ts';
import { type StatePlan, state } from '../../contract/api/state.ts';
import { invalidField } from '../../contract/errors/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { exportLines, exportState } from './export.ts';
import { planDocument, planIn, planLines, type Wanted, wantedBy, wantedByLines } from './plan.ts';
import { assertUnmoved } from './unmoved.ts';

type Operation = typeof state.operations.apply;
type Body = DecodedOf<Operation>['body'];

/** Applies a plan, or plans a document and applies the plan. Each operation is authorized separately. */
const applyState = async (call: Call, { body }: DecodedOf<Operation>): Promise<OutputOf<Operation>> => {
  assertPlanOrDocument(body);
  const { document, prune, operations = [], revision = 0 } = body;
  if (document) return applyWanted(call, wantedBy(call, { document, prune }));
  return perform(call, async (entities) => {
    await assertUnmoved(entities, revision, call);
    return operations;
  });
};

/** Plans a document in lines, and applies the plan. */
const applyLines = async (call: Call, input: DecodedOf<typeof state.operations.applyLines>): Promise<OutputOf<Operation>> =>
  applyWanted(call, await wantedByLines(call, input));

const applyWanted = (call: Call, wanted: Wanted): Promise<OutputOf<Operation>> =>
  perform(call, async (entities) => (await planIn(entities, call, wanted)).operations);

/** Finds the operations of a plan and performs them, in one transaction. */
const perform = (call: Call, operationsIn: (entities: Entities) => Promise<StatePlan['operations']>): Promise<OutputOf<Operation>> =>
  call.write(async (entities) => {
    const { results, revision } = await runBatch(call, entities, await operationsIn(entities));
    return { revision, results: results.map(({ operation, id }) => ({ operation, ...(id === undefined ? {} : { id }) })) };
  });

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

export const stateEntries = implement(state, {
  export: exportState,
  plan: planDocument,
  apply: applyState,
  exportLines,
  planLines,
  applyLines,
});
