import { isDisabled } from '../../../authentication/actors.ts';
import type { Change, ChangedRow } from '../../../changes/events.ts';
import { createTurns } from '../../../concurrency/event-loop.ts';
import { dataModelMessages } from '../../../control-channel/messages/data-model.ts';
import { sideOf } from '../../policy/policies/traversal.ts';
import { selects } from '../../policy/roles/membership.ts';
import { type DataEvent, documents, type ModelDocument, type ModelKind, modelKinds } from './documents.ts';
import { memberEvents, type PolicySide, sides } from './members.ts';
import { createHeldRows, type HeldKind, isHeldKind } from './model-rows.ts';

/** What a change does to a row. */
interface Step<K extends HeldKind> {
  readonly before: ChangedRow<K> | null;
  readonly after: ChangedRow<K> | null;
}

/** Documents that are made, and policies whose members are looked up, before others have a turn. */
const DOCUMENTS_AT_ONCE = 500;
const POLICIES_AT_ONCE = 10;

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
    const turn = createTurns(DOCUMENTS_AT_ONCE);
    for (const kind of modelKinds)
      for (const row of this.#rows.of(kind)) {
        const document = this.#documentOf(kind, row, now);
        if (document) yield [{ action: 'create', ...document }];
        await turn();
      }
    const next = createTurns(POLICIES_AT_ONCE);
    for (const policy of this.#rows.of('servicePolicy')) {
      yield this.#reselected({ before: null, after: policy });
      await next();
    }
  }

  /** Takes over a change. @returns what routers must be told */
  apply(change: Change, now: string): readonly DataEvent[] {
    const { entity } = change;
    if (!isHeldKind(entity)) return [];
    if (entity === 'serviceConfig') return this.#reconfigured(change as Step<'serviceConfig'>, now);
    return this.#step(entity, change as Step<typeof entity>, now); // `entity` says of which kind the rows are
  }

  /** Identities whose time of being disabled has run out after `before`, of which there is no change. ISO texts */
  enabledSince(before: string, now: string): readonly DataEvent[] {
    const due = [...this.#rows.of('identity')].filter((row) => isDisabled(row, before) && !isDisabled(row, now));
    return due.map((row) => ({ action: 'update', isSynthetic: true, ...this.#documentOf('identity', row, now) }));
  }

  #step<K extends ModelKind>(kind: K, step: Step<K>, now: string): readonly DataEvent[] {
    const [before, after] = [step.before, step.after].map((row) => (row ? this.#documentOf(kind, row, now) : undefined));
    this.#rows.change(kind, step);
    const selected = this.#selection(kind, step);
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
  #selection<K extends ModelKind>(kind: K, step: Step<K>): readonly DataEvent[] {
    if (kind === 'servicePolicy') return step.after ? this.#reselected(step as Step<'servicePolicy'>) : [];
    const side = sides.find((one) => one.kind === kind);
    return side ? this.#selectedAnew(side, step as Step<PolicySide['kind']>) : [];
  }

  /** After a change of a policy: its members. */
  #reselected({ before, after }: Step<'servicePolicy'>): readonly DataEvent[] {
    const id = (after ?? before)?.id ?? '';
    return sides.flatMap((side) => {
      const [was, is] = [before, after].map((policy) => (policy ? this.#rows.selectedBy(side.kind, sideOf(policy, side.roles)) : NOBODY));
      const added = [...(is ?? NOBODY)].filter((one) => !was?.has(one));
      const removed = [...(was ?? NOBODY)].filter((one) => !is?.has(one));
      return [...memberEvents(id, side, added, true), ...memberEvents(id, side, removed, false)];
    });
  }

  /** After a change of an entity: the policies that select it. */
  #selectedAnew(side: PolicySide, { before, after }: Step<PolicySide['kind']>): readonly DataEvent[] {
    const id = (after ?? before)?.id ?? '';
    return [...this.#rows.of('servicePolicy')].flatMap((policy) => {
      const by = sideOf(policy, side.roles);
      const [was, is] = [before, after].map((row) => row !== null && selects(by, row));
      return was === is ? [] : memberEvents(policy.id, side, [id], is === true);
    });
  }
}

const NOBODY: ReadonlySet<string> = new Set();

const isSame = (a: ModelDocument, b: ModelDocument): boolean => {
  const [these, those] = [a, b].map((document) => dataModelMessages.changeSet.encode({ changes: [document] }));
  return these?.length === those?.length && these?.every((byte, at) => byte === those?.[at]) === true;
};
