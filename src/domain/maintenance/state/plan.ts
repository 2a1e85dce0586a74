import { OWNER_TAG, sectionNames } from '../../../api/declared-kinds.ts';
import type { DecodedOf, OutputOf } from '../../../api/kit/index.ts';
import { MAX_PLANNED, type StatePlan, type state } from '../../../api/state.ts';
import { isLimitedToReading } from '../../../call/actor.ts';
import { runBatch } from '../../../call/batch.ts';
import type { Call } from '../../../call/call.ts';
import { createTimeSlice } from '../../../concurrency/event-loop.ts';
import type { Entities } from '../../../entities/entities.ts';
import { ApiError, invalidField } from '../../../errors/index.ts';
import { and } from '../../../query/index.ts';
import { visibleOf } from '../../../resources/granted.ts';
import { gatherReport } from '../../sessions/explain/what-if.ts';
import { shownChanges } from './changes.ts';
import { type Deletion, PlanDraft } from './draft.ts';
import { entriesOf } from './entries.ts';
import { declarable, hasLabel, kindIn, ownedBy } from './lookup.ts';
import { loadTargets } from './targets.ts';
import { movedSince } from './unmoved.ts';

type Operation = typeof state.operations.plan;

/** Number of entities to compare before yielding to the event loop. */
const ENTITIES_PER_SLICE = 200;

/** The difference between the network and a document, with what it means for access: the plan is carried out, and rolled back. */
export const planState = async (call: Call, { body }: DecodedOf<Operation>): Promise<OutputOf<Operation>> => {
  const planned = await call.read((entities) => planIn(entities, call, body));
  // What a transaction of the host has written must not be rolled back.
  if (body.access === false || call.isJoined || planned.operations.length === 0 || isLimitedToReading(call.actor)) return planned;
  return call.rehearse(
    () =>
      call.write(async (entities) => {
        const hasMoved = (await movedSince(entities, planned.revision, call)) !== undefined;
        const plan = hasMoved ? await planIn(entities, call, body) : planned;
        return { plan, isCarriedOut: plan.operations.length > 0 && (await mayCarryOut(call, entities, plan)) };
      }),
    async (entities, { plan, isCarriedOut }) => {
      const report = isCarriedOut ? await gatherReport(entities, call) : undefined;
      return async () => ({ ...plan, ...(report && { access: await report() }) });
    },
  );
};

/** Carries out a plan. @returns false if the caller lacks the right to one of its operations @throws ApiError of an operation that is refused otherwise */
const mayCarryOut = async (call: Call, entities: Entities, { operations }: StatePlan): Promise<boolean> => {
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
      `prune needs the owner of the document: it deletes what has its label in the tag ${OWNER_TAG}`,
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
      `a plan has at most ${MAX_PLANNED} operations, and this one has ${operations.length}: divide the document`,
      operations.length,
    );
  return { revision: await entities.revision(), operations, changes: await shownChanges(entities, call, draft.changes) };
};

/** The entities with an owner label that the document does not declare: those that refer to others before these. */
const prunable = async (entities: Entities, call: Call, owner: string, declared: ReadonlySet<string>): Promise<readonly Deletion[]> => {
  const deletions: Deletion[] = [];
  for (const section of sectionNames.toReversed()) {
    const kind = kindIn(section);
    const where = and(declarable(section), ownedBy(kind, owner), await visibleOf(entities, kind, call));
    // The identity of a tunneler goes with its router.
    for (const row of await entities.list(kind, { where, limit: MAX_PLANNED + 1 }))
      if (hasLabel(row, owner) && !declared.has(`${section}.${row.name}`) && !(section === 'identities' && row.typeId === 'Router'))
        deletions.push({ section, row });
  }
  return deletions;
};
