import { sideOf } from '../../access/policies/traversal.ts';
import { selects } from '../../access/roles/membership.ts';
import { isDisabled } from '../../call/authentication/actors.ts';
import { kinds } from '../../contract/api/kinds.ts';
import type { Change, ChangedRow } from '../../contract/changes/events.ts';
import { idAfter } from '../../query/index.ts';
import { createTimeSlice, yieldToEventLoop } from '../../runtime/concurrency/event-loop.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { type DataEvent, dataModelMessages } from '../control-channel/messages/data-model.ts';
import { documents, type ModelDocument, type ModelKind, modelKinds } from './documents.ts';
import { type CachedKind, cachedKinds, createModelRows, isCachedKind, type PolicySide, type RowChange, sides } from './model-rows.ts';

/** Number of rows per read. */
const BATCH = 500;

/** Numbers of documents, and of policies with their members, that are processed before yielding to the event loop. */
const DOCUMENT_BATCH = 500;
const POLICY_BATCH = 10;

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
    const yieldAfterDocuments = createTimeSlice(DOCUMENT_BATCH);
    for (const kind of modelKinds)
      for (const row of this.#rows.all(kind)) {
        const document = this.#documentOf(kind, row, now);
        if (document) yield [{ action: 'create', ...document }];
        await yieldAfterDocuments();
      }
    const yieldAfterPolicies = createTimeSlice(POLICY_BATCH);
    for (const policy of this.#rows.all('servicePolicy')) {
      yield this.#memberChangesOfPolicy({ before: null, after: policy });
      await yieldAfterPolicies();
    }
  }

  /**
   * Applies a change.
   * @returns the events for routers
   */
  apply(change: Change, now: string): readonly DataEvent[] {
    const { entity } = change;
    if (!isCachedKind(entity)) return [];
    if (entity === 'serviceConfig') return this.#applyServiceConfig(change as RowChange<'serviceConfig'>, now);
    return this.#applyRow(entity, change as RowChange<typeof entity>, now); // `entity` is the kind of the rows
  }

  /** Events for identities whose `disabledUntil` passed between `before` and `now`: there is no change record for that. ISO texts */
  enabledSince(before: string, now: string): readonly DataEvent[] {
    const enabled = [...this.#rows.all('identity')].filter((row) => isDisabled(row, before) && !isDisabled(row, now));
    return enabled.map((row) => ({ action: 'update', isSynthetic: true, ...this.#documentOf('identity', row, now) }));
  }

  #applyRow<K extends ModelKind>(kind: K, change: RowChange<K>, now: string): readonly DataEvent[] {
    const [before, after] = [change.before, change.after].map((row) => (row ? this.#documentOf(kind, row, now) : undefined));
    this.#rows.apply(kind, change);
    const members = this.#memberChanges(kind, change);
    // Routers must know an entity before any policy selects it, and until no policy does.
    if (!after) return before ? [...members, { action: 'delete', ...before }] : [];
    if (!before) return [{ action: 'create', ...after }, ...members];
    return isSame(before, after) ? members : [{ action: 'update', ...after }, ...members];
  }

  #documentOf<K extends ModelKind>(kind: K, row: ChangedRow<K>, now: string): ModelDocument | undefined {
    return documents[kind](row, { serviceConfigs: this.#rows.serviceConfigsOf(row.id), now });
  }

  #applyServiceConfig(change: RowChange<'serviceConfig'>, now: string): readonly DataEvent[] {
    this.#rows.apply('serviceConfig', change);
    const row = this.#rows.get('identity', (change.after ?? change.before)?.identityId ?? '');
    return row ? [{ action: 'update', ...this.#documentOf('identity', row, now) }] : [];
  }

  #memberChanges<K extends ModelKind>(kind: K, change: RowChange<K>): readonly DataEvent[] {
    if (kind === 'servicePolicy') return change.after ? this.#memberChangesOfPolicy(change as RowChange<'servicePolicy'>) : [];
    const side = sides.find((candidate) => candidate.kind === kind);
    return side ? this.#memberChangesOfEntity(side, change as RowChange<PolicySide['kind']>) : [];
  }

  #memberChangesOfPolicy({ before, after }: RowChange<'servicePolicy'>): readonly DataEvent[] {
    const id = (after ?? before)?.id ?? '';
    return sides.flatMap((side) => {
      const membersOf = (policy: typeof before) => (policy ? this.#rows.selectedBy(side.kind, sideOf(policy, side.roles)) : NONE);
      const [oldMembers, newMembers] = [membersOf(before), membersOf(after)];
      const added = [...newMembers].filter((memberId) => !oldMembers.has(memberId));
      const removed = [...oldMembers].filter((memberId) => !newMembers.has(memberId));
      return [...memberEvents(id, side, added, true), ...memberEvents(id, side, removed, false)];
    });
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

const NONE: ReadonlySet<string> = new Set();

const memberEvents = (policyId: string, { kind }: PolicySide, ids: readonly string[], add: boolean): readonly DataEvent[] =>
  ids.length === 0 ? [] : [{ servicePolicyChange: { policyId, relatedEntityIds: ids, relatedEntityType: kind, add } }];

const isSame = (a: ModelDocument, b: ModelDocument): boolean => {
  const [bytesA, bytesB] = [a, b].map((document) => dataModelMessages.changeSet.encode({ changes: [document] }));
  return bytesA?.length === bytesB?.length && bytesA?.every((byte, at) => byte === bytesB?.[at]) === true;
};
