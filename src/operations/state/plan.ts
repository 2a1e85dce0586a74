import { isLimitedToReading } from '../../call/actor.ts';
import { runBatch } from '../../call/batch.ts';
import type { Call } from '../../call/call.ts';
import { OWNER_TAG, sectionNames } from '../../contract/api/declared-kinds.ts';
import type { DecodedOf } from '../../contract/api/kit/index.ts';
import { MAX_PLANNED, type StateDocument, type StatePlan, type state } from '../../contract/api/state.ts';
import { ApiError, invalidField } from '../../contract/errors/index.ts';
import { gatherReport } from '../../identity/explain/what-if.ts';
import { createTimeSlice, entriesIn, inBatches, spendTimeSlice, yieldToEventLoop } from '../../runtime/concurrency/event-loop.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { presentChanges } from './changes.ts';
import { type Deletion, PlanDraft } from './draft.ts';
import { type Declaration, type Declared, declaredIn, placeOf } from './entries.ts';
import { declaredInLines } from './lines.ts';
import { pagesIn } from './lookup.ts';
import { loadTargets } from './targets.ts';
import { movedSince } from './unmoved.ts';

/** Number of entities to compare before yielding to the event loop. */
const ENTITIES_PER_SLICE = 200;
/** Number of entities and entries of their lists that are compared together, with what they refer to. */
const ENTRIES_AT_ONCE = 2000;
/** Number of characters of a line that count as one entity, or entry of a list. */
const CHARACTERS_PER_ENTRY = 200;
/** Number of entities that are searched for those to delete at a time. */
const PRUNED_AT_ONCE = 1000;

/** A document to plan. */
export interface Wanted {
  readonly declared: Declared;
  readonly owner: string | undefined;
  readonly prune: boolean | undefined;
}

export const planDocument = (call: Call, { body: { access, ...body } }: DecodedOf<typeof state.operations.plan>): Promise<StatePlan> =>
  planState(call, wantedBy(call, body), access);

export const planLines = async (call: Call, input: DecodedOf<typeof state.operations.planLines>): Promise<StatePlan> =>
  planState(call, await wantedByLines(call, input), input.access);

/** @throws ApiError `COULD_NOT_VALIDATE` with the place in the document */
export const wantedBy = (
  call: Call,
  { document, prune }: { readonly document: StateDocument; readonly prune?: boolean | undefined },
): Wanted => ({
  declared: declaredIn(document, call.now()),
  owner: document.owner,
  prune,
});

/** @throws ApiError with the number of the line */
export const wantedByLines = async (
  call: Call,
  { body, owner, prune }: DecodedOf<typeof state.operations.applyLines>,
): Promise<Wanted> => ({
  declared: await declaredInLines(body, call.now(), call.signal),
  owner,
  prune,
});

/** Plans a document. To report the effect on access, performs the plan and rolls it back. */
const planState = async (call: Call, wanted: Wanted, access = true): Promise<StatePlan> => {
  const planned = await call.read((entities) => planIn(entities, call, wanted));
  // Writes of a host's transaction must not be rolled back.
  if (!access || call.isJoined || planned.operations.length === 0 || isLimitedToReading(call.actor)) return planned;
  return call.rehearse(
    () =>
      call.write(async (entities) => {
        const hasMoved = (await movedSince(entities, planned.revision, call)) !== undefined;
        const plan = hasMoved ? await planIn(entities, call, wanted) : planned;
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
export const planIn = async (entities: Entities, call: Call, { declared, owner, prune }: Wanted): Promise<StatePlan> => {
  if (prune && owner === undefined)
    throw invalidField(
      'document.owner',
      `prune requires the owner of the document: it deletes entities with its label in the tag ${OWNER_TAG}`,
      undefined,
    );
  const draft = new PlanDraft(owner, call.now());
  const surroundings = { declared, isPlaced: (place: string) => draft.isPlaced(place) };
  const yieldIfDue = createTimeSlice(ENTITIES_PER_SLICE);
  // Lines are parsed as batches are filled.
  const sizeOf = ({ given, characters = 0 }: Declaration) => entriesIn(given) + characters / CHARACTERS_PER_ENTRY;
  for (const entries of inBatches(declared, sizeOf, ENTRIES_AT_ONCE)) {
    const targets = await loadTargets(entities, call, surroundings, entries);
    for (const entry of entries) {
      draft.add(entry, targets);
      const pause = yieldIfDue(1 + (entry.characters ?? 0) / CHARACTERS_PER_ENTRY);
      if (pause) await pause;
    }
  }
  draft.complete(await loadTargets(entities, call, surroundings, draft.incomplete));
  if (prune && owner !== undefined) draft.delete(await prunable(entities, call, owner, declared));
  const { operations, count } = draft;
  if (count > MAX_PLANNED)
    throw invalidField(
      'document',
      `a plan may have at most ${MAX_PLANNED} operations, got ${count}: split the document, and apply first the parts that others refer to, without prune`,
      count,
    );
  return { revision: await entities.revision(), operations, changes: await presentChanges(entities, call, draft.changes) };
};

/** The entities with the owner label that the document does not declare, each before the entities that it refers to. */
const prunable = async (entities: Entities, call: Call, owner: string, declared: Declared): Promise<readonly Deletion[]> => {
  const deletions: Deletion[] = [];
  for (const section of sectionNames.toReversed()) {
    for await (const rows of pagesIn(entities, call, section, owner, PRUNED_AT_ONCE)) {
      // The identity of a tunneler is deleted with its router.
      for (const row of rows)
        if (!declared.has(placeOf(section, String(row.name))) && !(section === 'identities' && row.typeId === 'Router'))
          deletions.push({ section, row });
      if (spendTimeSlice(1)) await yieldToEventLoop();
    }
  }
  return deletions;
};
