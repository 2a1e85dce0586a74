import { sideOf } from '../../access/policies/traversal.ts';
import { selects } from '../../access/roles/membership.ts';
import { isDisabled } from '../../call/authentication/actors.ts';
import { kinds } from '../../contract/api/kinds.ts';
import type { Change, ChangedRow } from '../../contract/changes/events.ts';
import { idAfter } from '../../query/index.ts';
import { createTimeSlice, inBatches, yieldToEventLoop } from '../../runtime/concurrency/event-loop.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { type DataEvent, dataModelMessages } from '../control-channel/messages/data-model.ts';
import { documents, type ModelDocument, type ModelKind, modelKinds } from './documents.ts';
import { type CachedKind, cachedKinds, createModelRows, isCachedKind, type PolicySide, type RowChange, sides } from './model-rows.ts';

/** Number of rows per read. */
const BATCH = 500;

/** Number of documents that are made before yielding to the event loop. */
const DOCUMENT_BATCH = 250;
/** Number of candidates for the members of a policy that are examined before yielding to the event loop. */
const CANDIDATE_BATCH = 4000;
/** Maximum number of members in one event, so that it is encoded without pauses. */
const MAX_MEMBERS = 4000;

/**
 * The entities from which routers decide access. Starts with a state of the store, and converts each change in the change log to events for
 * routers.
 */
export class DataModel {
  readonly #rows = createModelRows();

  /**
   * Reads the model.
   * @returns the model, and the revision of the state that it has read
   */
  static async load(entities: Entities, signal: AbortSignal): Promise<{ readonly model: DataModel; readonly index: number }> {
    const model = new DataModel();
    const index = await entities.revision();
    for (const kind of cachedKinds) await model.#loadKind(entities, kind, signal);
    return { model, index };
  }

  async #loadKind(entities: Entities, kind: CachedKind, signal: AbortSignal): Promise<void> {
    for (let last: string | undefined, hasMore = true; hasMore; ) {
      // A stored row has the fields of an event.
      const rows = (await entities.list(kinds[kind], { where: idAfter(last), limit: BATCH })) as readonly ChangedRow<typeof kind>[];
      for (const row of rows) this.#rows.put(kind, row);
      last = rows.at(-1)?.id;
      hasMore = rows.length === BATCH;
      await yieldToEventLoop();
      signal.throwIfAborted();
    }
  }

  /**
   * The events that create the whole model, in batches.
   * @param now ISO text
   */
  async *all(now: string): AsyncGenerator<readonly DataEvent[], void> {
    for (const kind of modelKinds)
      for (const rows of inBatches(this.#rows.all(kind), () => 1, DOCUMENT_BATCH)) {
        yield this.#creationsOf(kind, rows, now);
        await yieldToEventLoop();
      }
    for (const policy of this.#rows.all('servicePolicy')) yield* this.#memberChangesOfPolicy({ before: null, after: policy });
  }

  #creationsOf<K extends ModelKind>(kind: K, rows: readonly ChangedRow<K>[], now: string): readonly DataEvent[] {
    return rows.flatMap((row) => {
      const document = this.#documentOf(kind, row, now);
      return document ? [{ action: 'create', ...document }] : [];
    });
  }

  /**
   * Applies a change. Yields to the event loop if it concerns many entities.
   * @returns the events for routers, in batches
   */
  async *apply(change: Change, now: string): AsyncGenerator<readonly DataEvent[], void> {
    const { entity } = change;
    if (!isCachedKind(entity)) return;
    if (entity === 'serviceConfig') yield this.#applyServiceConfig(change as RowChange<'serviceConfig'>, now);
    else yield* this.#applyRow(entity, change as RowChange<typeof entity>, now); // `entity` is the kind of the rows
  }

  /** Events for identities whose `disabledUntil` passed between `before` and `now`: there is no change record for that. ISO texts */
  enabledSince(before: string, now: string): readonly DataEvent[] {
    const enabled = [...this.#rows.disabledIdentities()].filter((row) => isDisabled(row, before) && !isDisabled(row, now));
    return enabled.map((row) => ({ action: 'update', isSynthetic: true, ...this.#documentOf('identity', row, now) }));
  }

  async *#applyRow<K extends ModelKind>(kind: K, change: RowChange<K>, now: string): AsyncGenerator<readonly DataEvent[], void> {
    const [before, after] = [change.before, change.after].map((row) => (row ? this.#documentOf(kind, row, now) : undefined));
    this.#rows.apply(kind, change);
    const isCreated = after && !before;
    const isUpdated = after && before && !isSame(before, after);
    // Routers must know an entity before any policy selects it, and until no policy does.
    if (isCreated || isUpdated) yield [{ action: isCreated ? 'create' : 'update', ...after }];
    if (before || after) yield* this.#memberChanges(kind, change);
    if (before && !after) yield [{ action: 'delete', ...before }];
  }

  #documentOf<K extends ModelKind>(kind: K, row: ChangedRow<K>, now: string): ModelDocument | undefined {
    return documents[kind](row, { serviceConfigs: this.#rows.serviceConfigsOf(row.id), now });
  }

  #applyServiceConfig(change: RowChange<'serviceConfig'>, now: string): readonly DataEvent[] {
    this.#rows.apply('serviceConfig', change);
    const row = this.#rows.get('identity', (change.after ?? change.before)?.identityId ?? '');
    return row ? [{ action: 'update', ...this.#documentOf('identity', row, now) }] : [];
  }

  async *#memberChanges<K extends ModelKind>(kind: K, change: RowChange<K>): AsyncGenerator<readonly DataEvent[], void> {
    if (kind === 'servicePolicy') {
      if (change.after) yield* this.#memberChangesOfPolicy(change as RowChange<'servicePolicy'>);
      return;
    }
    const side = sides.find((candidate) => candidate.kind === kind);
    if (side) yield this.#memberChangesOfEntity(side, change as RowChange<PolicySide['kind']>);
  }

  async *#memberChangesOfPolicy({ before, after }: RowChange<'servicePolicy'>): AsyncGenerator<readonly DataEvent[], void> {
    const id = (after ?? before)?.id ?? '';
    const yieldAfterBatch = createTimeSlice(CANDIDATE_BATCH);
    for (const side of sides) {
      const selectedBy = (policy: typeof before): Iterable<string | undefined> =>
        policy ? this.#rows.selectedBy(side.kind, sideOf(policy, side.roles)) : [];
      const removed = new Set<string>();
      for (const memberId of selectedBy(before)) {
        if (memberId !== undefined) removed.add(memberId);
        const pause = yieldAfterBatch();
        if (pause) await pause;
      }
      let added: string[] = [];
      for (const memberId of selectedBy(after)) {
        if (memberId !== undefined && !removed.delete(memberId)) added.push(memberId);
        if (added.length === MAX_MEMBERS) {
          yield memberEvents(id, side, added, true);
          added = [];
        }
        const pause = yieldAfterBatch();
        if (pause) await pause;
      }
      yield memberEvents(id, side, added, true);
      for (const part of inBatches(removed, () => 1, MAX_MEMBERS)) yield memberEvents(id, side, part, false);
    }
  }

  #memberChangesOfEntity(side: PolicySide, { before, after }: RowChange<PolicySide['kind']>): readonly DataEvent[] {
    const id = (after ?? before)?.id ?? '';
    return [...this.#rows.all('servicePolicy')].flatMap((policy) => {
      const policySide = sideOf(policy, side.roles);
      const [wasSelected, isSelected] = [before, after].map((row) => row !== null && selects(policySide, row));
      return wasSelected === isSelected ? [] : memberEvents(policy.id, side, [id], isSelected === true);
    });
  }
}

const memberEvents = (policyId: string, { kind }: PolicySide, ids: readonly string[], add: boolean): readonly DataEvent[] =>
  ids.length === 0 ? [] : [{ servicePolicyChange: { policyId, relatedEntityIds: ids, relatedEntityType: kind, add } }];

const isSame = (a: ModelDocument, b: ModelDocument): boolean => {
  const [bytesA, bytesB] = [a, b].map((document) => dataModelMessages.changeSet.encode({ changes: [document] }));
  return bytesA?.length === bytesB?.length && bytesA?.every((byte, at) => byte === bytesB?.[at]) === true;
};
