import { isLimitedToReading } from '../../call/actor.ts';
import { runBatch } from '../../call/batch.ts';
import type { Call } from '../../call/call.ts';
import { granted } from '../../call/resources/granted.ts';
import { OWNER_TAG, sectionNames } from '../../contract/api/declared-kinds.ts';
import type { DecodedOf, OutputOf } from '../../contract/api/kit/index.ts';
import { MAX_PLANNED, type StatePlan, type state } from '../../contract/api/state.ts';
import { ApiError, invalidField } from '../../contract/errors/index.ts';
import { gatherReport } from '../../identity/explain/what-if.ts';
import { and } from '../../query/index.ts';
import { createTimeSlice } from '../../runtime/concurrency/event-loop.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { presentChanges } from './changes.ts';
import { type Deletion, PlanDraft } from './draft.ts';
import { entriesOf } from './entries.ts';
import { declarable, hasLabel, kindIn, ownedBy } from './lookup.ts';
import { loadTargets } from './targets.ts';
import { movedSince } from './unmoved.ts';

type Operation = typeof state.operations.plan;

/** Number of entities to compare before yielding to the event loop. */
const ENTITIES_PER_SLICE = 200;

/** Plans a document. To report the effect on access, performs the plan and rolls it back. */
export const planState = async (call: Call, { body }: DecodedOf<Operation>): Promise<OutputOf<Operation>> => {
  const planned = await call.read((entities) => planIn(entities, call, body));
  // Writes of a host's transaction must not be rolled back.
  if (body.access === false || call.isJoined || planned.operations.length === 0 || isLimitedToReading(call.actor)) return planned;
  return call.rehearse(
    () =>
      call.write(async (entities) => {
        const hasMoved = (await movedSince(entities, planned.revision, call)) !== undefined;
        const plan = hasMoved ? await planIn(entities, call, body) : planned;
        return { plan, isPerformed: plan.operations.length > 0 && (await tryPlan(call, entities, plan)) };
      }),
    async (entities, { plan, isPerformed }) => {
      const report = isPerformed ? await gatherReport(entities, call) : undefined;
      return async () => ({ ...plan, ...(report && { access: await report() }) });
    },
  );
};

/**
 * Performs a plan.
 * @returns false if the caller lacks the right to one of its operations
 * @throws ApiError of an operation that is refused for another reason
 */
const tryPlan = async (call: Call, entities: Entities, { operations }: StatePlan): Promise<boolean> => {
  try {
    await runBatch(call, entities, operations);
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'UNAUTHORIZED') return false;
    throw error;
  }
};

/** Plans in a transaction. */
export const planIn = async (
  entities: Entities,
  call: Call,
  { document, prune }: Omit<DecodedOf<Operation>['body'], 'access'>,
): Promise<StatePlan> => {
  const { owner } = document;
  if (prune && owner === undefined)
    throw invalidField(
      'document.owner',
      `prune requires the owner of the document: it deletes entities with its label in the tag ${OWNER_TAG}`,
      undefined,
    );
  const entries = entriesOf(document, call.now());
  const targets = await loadTargets(entities, call, entries);
  const draft = new PlanDraft(targets, owner, call.now());
  const yieldIfDue = createTimeSlice(ENTITIES_PER_SLICE);
  for (const entry of entries) {
    draft.add(entry);
    const pause = yieldIfDue();
    if (pause) await pause;
  }
  draft.complete();
  if (prune && owner !== undefined) draft.delete(await prunable(entities, call, owner, new Set(entries.map(({ place }) => place))));
  const { operations } = draft;
  if (operations.length > MAX_PLANNED)
    throw invalidField(
      'document',
      `a plan may have at most ${MAX_PLANNED} operations, got ${operations.length}: split the document`,
      operations.length,
    );
  return { revision: await entities.revision(), operations, changes: await presentChanges(entities, call, draft.changes) };
};

/** The entities with the owner label that the document does not declare, each before the entities that it refers to. */
const prunable = async (entities: Entities, call: Call, owner: string, declared: ReadonlySet<string>): Promise<readonly Deletion[]> => {
  const deletions: Deletion[] = [];
  for (const section of sectionNames.toReversed()) {
    const kind = kindIn(section);
    const where = and(declarable(section), ownedBy(kind, owner), await granted(entities, kind, call));
    // The identity of a tunneler is deleted with its router.
    for (const row of await entities.list(kind, { where, limit: MAX_PLANNED + 1 }))
      if (hasLabel(row, owner) && !declared.has(`${section}.${row.name}`) && !(section === 'identities' && row.typeId === 'Router'))
        deletions.push({ section, row });
  }
  return deletions;
};
