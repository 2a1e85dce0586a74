import { rowFields } from '../../call/resources/merge.ts';
import type { SectionName } from '../../contract/api/declared-kinds.ts';
import { identity } from '../../contract/api/kinds.ts';
import { MAX_PLANNED, type StatePlan } from '../../contract/api/state.ts';
import { invalidField } from '../../contract/errors/index.ts';
import type { Row } from '../../store/storage/port.ts';
import { isSameJson } from '../../store/storage/same-json.ts';
import type { Changed } from './changes.ts';
import { bodyOf, changedFields, updateOf, wantedValues } from './difference.ts';
import type { Declaration } from './entries.ts';
import { kindIn, undeclaredFlags } from './lookup.ts';
import type { Rename } from './names.ts';
import type { Target, Targets } from './targets.ts';
import { declaredValues, entityHasEnded, isDocument, type Values } from './values.ts';

/**
 * A placeholder for the id of an entity that is not created yet, for comparisons of ids. No id has this form.
 * @param place index among the entities that an entity needs
 */
const futureId = (place: number): string => `(created by the plan: ${place})`;

/** An entity to add, by its place. Without `wanted`, the entities that it needs have not been added yet. */
interface Step {
  readonly place: string;
  readonly wanted?: Values;
}

/** An entity to delete. */
export interface Deletion {
  readonly section: SectionName;
  readonly row: Row;
}

/** Builds a plan: operations in an order in which each entity is created before others refer to it. */
export class PlanDraft {
  /** At most `MAX_PLANNED` of them. */
  readonly operations: StatePlan['operations'] = [];
  readonly changes: Changed[] = [];
  /** The number of all operations. */
  count = 0;
  #targets: Targets | undefined;
  readonly #owner: string | undefined;
  readonly #now: string;
  /**
   * The ids of entities, or references to operations that create them, by place; undefined while the entities that they need are being
   * added.
   */
  readonly #ids = new Map<string, string | undefined>();
  /** Ids of existing entities that the document refers to, each with the position of the reference. */
  readonly #referred = new Map<string, string>();
  /** Entities in circular references, with their bodies, which lack the reference. */
  readonly #incomplete = new Map<Declaration, Values>();

  constructor(owner: string | undefined, now: string) {
    this.#owner = owner;
    this.#now = now;
  }

  /** True for an entity that has been added, at a place. */
  isPlaced(place: string): boolean {
    return this.#ids.has(place);
  }

  /** The entities in circular references, which `complete` needs again. */
  get incomplete(): readonly Declaration[] {
    return [...this.#incomplete.keys()];
  }

  /**
   * Adds the operations that create or change an entity as declared, after the entities that it needs. Not recursive, because chains of
   * signers and authentication policies in a document could overflow the stack.
   * @param targets resolve the names in the entity and in those that it needs
   * @throws ApiError `COULD_NOT_VALIDATE` with the place
   */
  add({ place }: Declaration, targets: Targets): void {
    this.#targets = targets;
    const steps: Step[] = [{ place }];
    for (let step = steps.pop(); step; step = steps.pop()) {
      const entry = step.wanted || !this.#ids.has(step.place) ? targets.entries.get(step.place) : undefined;
      if (!entry) continue;
      if (step.wanted) this.#place(entry, step.wanted);
      else {
        const { wanted, needed } = this.#opened(entry);
        steps.push({ place: entry.place, wanted });
        for (const each of needed.toReversed()) steps.push({ place: each });
      }
    }
  }

  /** The desired fields of an entity, and the places of the entities that the plan must create before it. */
  #opened(entry: Declaration): { readonly wanted: Values; readonly needed: readonly string[] } {
    const { section, existing, place } = entry;
    this.#ids.set(place, existing?.id);
    if (existing && undeclaredFlags(kindIn(section)).some((flag) => existing[flag] === true))
      throw invalidField(place, `${place} cannot be declared: the controller manages it, or it is of another kind`, entry.name);
    const needed = new Map<string, string>();
    const wanted = wantedValues(entry, bodyOf(entry, this.#owner, this.#compared(entry, needed)), this.#now);
    const router = !existing && isCompanion(entry, wanted) ? [this.#routerOf(entry)] : [];
    return { wanted, needed: [...router, ...needed.keys()] };
  }

  /** Adds an entity after those that it needs. */
  #place(entry: Declaration, wanted: Values): void {
    const { section, existing } = entry;
    if (existing) this.#update(entry, existing.id, existing, wanted);
    else if (isCompanion(entry, wanted)) this.#update(entry, this.#ids.get(this.#routerOf(entry)) ?? '', companionRow(entry.name), wanted);
    else if (!entityHasEnded(kindIn(section), wanted, this.#now)) this.#create(entry, wanted);
  }

  /**
   * Adds deletions, in this order.
   * @throws ApiError `COULD_NOT_VALIDATE` if the document refers to one of the entities
   */
  delete(deletions: readonly Deletion[]): void {
    const ids = new Set(deletions.map(({ row }) => row.id));
    // Signers and authentication policies may refer to each other, which would forbid the deletion of both.
    for (const { section, row } of deletions)
      if (section === 'externalJwtSigners' && ids.has(String(row.enrollAuthPolicyId)))
        this.#perform({ operation: `${section}.patch`, input: { id: row.id, body: { enrollAuthPolicyId: '' } } });
    for (const { section, row } of deletions) {
      const { id, name } = row;
      const place = this.#referred.get(id);
      if (place !== undefined)
        throw invalidField(place, `${place} refers to ${section}.${name}, which prune would delete: declare it, too`, name);
      this.#note({ action: 'delete', section, name: String(name) });
      this.#perform({ operation: `${section}.delete`, input: { id } });
    }
  }

  /**
   * Adds the circular references that were omitted.
   * @param targets resolve the names in `incomplete`
   */
  complete(targets: Targets): void {
    this.#targets = targets;
    for (const [entry, partial] of this.#incomplete) {
      const body = bodyOf(entry, this.#owner, this.#reference(entry), literal);
      const changed = Object.keys(body).filter((name) => !isSameJson(body[name], partial[name]));
      this.#push(entry, this.#ids.get(entry.place) ?? '', changed, body);
    }
  }

  #create(entry: Declaration, wanted: Values): void {
    const { section, name, given } = entry;
    const body = this.#body(entry);
    this.#note({ action: 'create', section, name, given, wanted });
    const number = this.#perform({ operation: `${section}.create`, input: { body } });
    this.#ids.set(entry.place, `$${number}.id`);
  }

  #update(entry: Declaration, id: string, row: Values, wanted: Values): void {
    const { section, name, given } = entry;
    const kind = kindIn(section);
    this.#ids.set(entry.place, id);
    const before = declaredValues(kind, row, this.#now);
    const changed = changedFields(kind, before, wanted);
    if (changed.length === 0) return;
    this.#note({ action: 'update', section, name, given, wanted, before, changed });
    this.#push(entry, id, changed, this.#body(entry));
  }

  #push(entry: Declaration, id: string, changed: readonly string[], body: Values): void {
    const { verb, body: given } = updateOf(entry, changed, body);
    this.#perform({ operation: `${entry.section}.${verb}`, input: { id, body: given } });
  }

  /** @returns the number of the operation, from 1 */
  #perform(operation: StatePlan['operations'][number]): number {
    if (this.count < MAX_PLANNED) this.operations.push(operation);
    return ++this.count;
  }

  #note(change: Changed): void {
    if (this.count < MAX_PLANNED) this.changes.push(change);
  }

  #found(entry: Declaration, kind: string, text: string): Target {
    if (!this.#targets) throw new TypeError('targets are set before an entity is opened');
    return this.#targets.find(entry, kind, text);
  }

  /** The place of the edge router in the document whose tunneler the identity belongs to. */
  #routerOf(entry: Declaration): string {
    const router = this.#targets?.routerOf(entry);
    if (router === undefined)
      throw invalidField(
        entry.place,
        `${entry.place} of type Router requires an edge router with this name and isTunnelerEnabled`,
        entry.name,
      );
    return router;
  }

  /** The body of an entity, without circular references, which `complete` adds. */
  #body(entry: Declaration): Values {
    let isPartial = false;
    const body = bodyOf(
      entry,
      this.#owner,
      (kind, text) => {
        const id = this.#reference(entry)(kind, text);
        isPartial ||= id === undefined;
        return id;
      },
      literal,
    );
    if (isPartial) this.#incomplete.set(entry, body);
    return body;
  }

  /** Returns ids of entities, or references to operations that create them; undefined for an entity that is being added. */
  #reference(entry: Declaration): Rename {
    return (kind, text) => {
      const target = this.#found(entry, kind, text);
      return 'id' in target ? target.id : this.#ids.get(target.place);
    };
  }

  /**
   * Like `#reference`, for entities that may not have been added yet.
   * @param needed receives the entities that the plan creates, each with a placeholder for its id
   */
  #compared(entry: Declaration, needed: Map<string, string>): Rename {
    return (kind, text) => {
      const target = this.#found(entry, kind, text);
      if (!('id' in target)) {
        const id = needed.get(target.place) ?? futureId(needed.size);
        needed.set(target.place, id);
        return id;
      }
      this.#referred.set(target.id, entry.place);
      return target.id;
    };
  }
}

/** True for an identity that belongs to the tunneler of an edge router. */
const isCompanion = ({ section }: Declaration, { type }: Values): boolean => section === 'identities' && type === 'Router';

/** The identity that an edge router gets with its tunneler, as the controller creates it. */
const companionRow = (name: string): Values => ({ ...rowFields(identity, { name, isAdmin: false }), typeId: 'Router' });

/** Escapes a value for the input of an operation, in which `$1.id` is a reference and `$$1.id` is the text `$1.id`. */
const literal = (value: unknown): unknown => {
  if (typeof value === 'string') return value.replace(/^(@?)\$(?=\$*\d{1,5}\.)/, '$1$$$$');
  if (Array.isArray(value)) return value.map(literal);
  return isDocument(value) ? Object.fromEntries(Object.entries(value).map(([key, each]) => [literal(key), literal(each)])) : value;
};
