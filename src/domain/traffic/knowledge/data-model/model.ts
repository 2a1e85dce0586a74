import type { Change, ChangedRow } from '../../../../changes/events.ts';
import { createTurns } from '../../../../concurrency/event-loop.ts';
import { dataModelMessages } from '../../../../control-channel/messages/data-model.ts';
import { type DataEvent, documents, isDisabledAt, type ModelDocument, type ModelKind, modelKinds } from './documents.ts';
import { isMember, memberEvents, type Policy, type PolicySide, sides } from './members.ts';
import { createHeldRows, type HeldKind, isHeldKind } from './rows.ts';

/** What a change does to a row. */
interface Step<K extends HeldKind> {
  readonly before: ChangedRow<K> | null;
  readonly after: ChangedRow<K> | null;
}

/**
 * What routers decide with, in one state of the store. It follows the change log: each change gives what routers must be told. A class, because it is state.
 */
export class DataModel {
  readonly #rows = createHeldRows();

  /** Takes a row of the state that it begins with. */
  put<K extends HeldKind>(kind: K, row: ChangedRow<K>): void {
    this.#rows.put(kind, row);
  }

  /** All of it, an entity with what hangs on it at a time. @param now ISO text */
  async *all(now: string): AsyncGenerator<readonly DataEvent[], void> {
    const turn = createTurns();
    for (const kind of modelKinds)
      for (const row of this.#rows.of(kind)) {
        const document = this.#documentOf(kind, row, now);
        if (document) yield [{ action: 'create', ...document }];
        await turn();
      }
    for (const policy of this.#rows.of('servicePolicy')) yield await this.#reselected({ before: null, after: policy });
  }

  /** Takes over a change. @returns what routers must be told */
  async apply(change: Change, now: string): Promise<readonly DataEvent[]> {
    const { entity } = change;
    if (!isHeldKind(entity)) return [];
    if (entity === 'serviceConfig') return this.#reconfigured(change as Step<'serviceConfig'>, now);
    return this.#step(entity, change as Step<typeof entity>, now); // `entity` says of which kind the rows are
  }

  /** Identities whose time of being disabled has run out after `before`, of which there is no change. ISO texts */
  enabledSince(before: string, now: string): readonly DataEvent[] {
    const due = [...this.#rows.of('identity')].filter((row) => isDisabledAt(row, before) && !isDisabledAt(row, now));
    return due.map((row) => ({ action: 'update', isSynthetic: true, ...this.#documentOf('identity', row, now) }));
  }

  async #step<K extends ModelKind>(kind: K, step: Step<K>, now: string): Promise<readonly DataEvent[]> {
    const [before, after] = [step.before, step.after].map((row) => (row ? this.#documentOf(kind, row, now) : undefined));
    this.#rows.change(kind, step);
    const selected = await this.#selection(kind, step);
    // What a policy selects must be known before, and is forgotten after it.
    if (!after) return before ? [...selected, { action: 'delete', ...before }] : [];
    if (!before) return [{ action: 'create', ...after }, ...selected];
    return isSame(before, after) ? selected : [{ action: 'update', ...after }, ...selected];
  }

  #documentOf<K extends ModelKind>(kind: K, row: ChangedRow<K>, now: string): ModelDocument | undefined {
    return documents[kind](row, { serviceConfigs: this.#rows.serviceConfigsOf(row.id), now });
  }

  #reconfigured(step: Step<'serviceConfig'>, now: string): readonly DataEvent[] {
    this.#rows.change('serviceConfig', step);
    const row = this.#rows.get('identity', (step.after ?? step.before)?.identityId ?? '');
    return row ? [{ action: 'update', ...this.#documentOf('identity', row, now) }] : [];
  }

  /** What policies select now and did not before, and the other way round. */
  async #selection<K extends ModelKind>(kind: K, step: Step<K>): Promise<readonly DataEvent[]> {
    if (kind === 'servicePolicy') return step.after ? this.#reselected(step as Step<'servicePolicy'>) : [];
    const side = sides.find((one) => one.kind === kind);
    return side ? this.#selectedAnew(side, step as Step<PolicySide['kind']>) : [];
  }

  /** After a change of a policy: its members. */
  async #reselected({ before, after }: Step<'servicePolicy'>): Promise<readonly DataEvent[]> {
    const id = (after ?? before)?.id ?? '';
    const turn = createTurns();
    const events: DataEvent[] = [];
    for (const side of sides) {
      const ids: Record<'added' | 'removed', string[]> = { added: [], removed: [] };
      for (const row of this.#rows.of(side.kind)) {
        const [was, is] = [isMember(side, before, row), isMember(side, after, row)];
        if (was !== is) ids[is ? 'added' : 'removed'].push(row.id);
        await turn();
      }
      events.push(...memberEvents(id, side, ids.added, true), ...memberEvents(id, side, ids.removed, false));
    }
    return events;
  }

  /** After a change of an entity: the policies that select it. */
  #selectedAnew(side: PolicySide, { before, after }: Step<PolicySide['kind']>): readonly DataEvent[] {
    const id = (after ?? before)?.id ?? '';
    const differs = (policy: Policy) => isMember(side, policy, before) !== isMember(side, policy, after);
    return [...this.#rows.of('servicePolicy')]
      .filter(differs)
      .flatMap((policy) => memberEvents(policy.id, side, [id], isMember(side, policy, after)));
  }
}

const isSame = (a: ModelDocument, b: ModelDocument): boolean => {
  const [these, those] = [a, b].map((document) => dataModelMessages.changeSet.encode({ changes: [document] }));
  return these?.length === those?.length && these?.every((byte, at) => byte === those?.[at]) === true;
};
