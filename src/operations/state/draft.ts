import { rowFields } from '../../call/resources/merge.ts';
import type { SectionName } from '../../contract/api/declared-kinds.ts';
import { identity } from '../../contract/api/kinds.ts';
import type { StatePlan } from '../../contract/api/state.ts';
import { invalidField } from '../../contract/errors/index.ts';
import type { Row } from '../../store/storage/port.ts';
import { isSameJson } from '../../store/storage/same-json.ts';
import type { Changed } from './changes.ts';
import { bodyOf, changedFields, updateOf, wantedValues } from './difference.ts';
import type { Declaration } from './entries.ts';
import { kindIn, undeclaredFlags } from './lookup.ts';
import type { Rename } from './names.ts';
import type { Targets } from './targets.ts';
import { declaredValues, entityHasEnded, isDocument, type Values } from './values.ts';

/**
 * A placeholder for the id of an entity that is not created yet, for comparisons of ids. No id has this form.
 * @param place index among the entities that an entity needs
 */
const futureId = (place: number): string => `(created by the plan: ${place})`;

/** An entity to add. Without `wanted`, the entities that it needs have not been added yet. */
interface Step {
  readonly entry: Declaration;
  readonly wanted?: Values;
}

/** An entity to delete. */
export interface Deletion {
  readonly section: SectionName;
  readonly row: Row;
}

/** Builds a plan: operations in an order in which each entity is created before others refer to it. */
export class PlanDraft {
  readonly operations: StatePlan['operations'] = [];
  readonly changes: Changed[] = [];
  readonly #targets: Targets;
  readonly #owner: string | undefined;
  readonly #now: string;
  /** The ids of entities, or references to operations that create them; undefined while the entities that they need are being added. */
  readonly #ids = new Map<Declaration, string | undefined>();
  /** Ids of existing entities that the document refers to, each with the position of the reference. */
  readonly #referred = new Map<string, string>();
  /** Entities in circular references, with their bodies, which lack the reference. */
  readonly #incomplete = new Map<Declaration, Values>();

  constructor(targets: Targets, owner: string | undefined, now: string) {
    this.#targets = targets;
    this.#owner = owner;
    this.#now = now;
  }

  /**
   * Adds the operations that create or change an entity as declared, after the entities that it needs. Not recursive, because chains of
   * signers and authentication policies in a document could overflow the stack.
   * @throws ApiError `COULD_NOT_VALIDATE` with the place
   */
  add(entry: Declaration): void {
    const steps: Step[] = [{ entry }];
    for (let step = steps.pop(); step; step = steps.pop()) {
      if (step.wanted) this.#place(step.entry, step.wanted);
      else if (!this.#ids.has(step.entry)) {
        const { wanted, needed } = this.#opened(step.entry);
        steps.push({ entry: step.entry, wanted });
        for (const each of needed.toReversed()) steps.push({ entry: each });
      }
    }
  }

  /** The desired fields of an entity, and the entities that the plan must create before it. */
  #opened(entry: Declaration): { readonly wanted: Values; readonly needed: readonly Declaration[] } {
    const { section, existing, place } = entry;
    this.#ids.set(entry, existing?.id);
    if (existing && undeclaredFlags(kindIn(section)).some((flag) => existing[flag] === true))
      throw invalidField(place, `${place} cannot be declared: the controller manages it, or it is of another kind`, entry.name);
    const needed = new Map<Declaration, string>();
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
        this.operations.push({ operation: `${section}.patch`, input: { id: row.id, body: { enrollAuthPolicyId: '' } } });
    for (const { section, row } of deletions) {
      const { id, name } = row;
      const place = this.#referred.get(id);
      if (place !== undefined)
        throw invalidField(place, `${place} refers to ${section}.${name}, which prune would delete: declare it, too`, name);
      this.changes.push({ action: 'delete', section, name: String(name) });
      this.operations.push({ operation: `${section}.delete`, input: { id } });
    }
  }

  /** Adds the circular references that were omitted. */
  complete(): void {
    for (const [entry, partial] of this.#incomplete) {
      const body = bodyOf(entry, this.#owner, this.#reference(entry), literal);
      const changed = Object.keys(body).filter((name) => !isSameJson(body[name], partial[name]));
      this.#push(entry, this.#ids.get(entry) ?? '', changed, body);
    }
  }

  #create(entry: Declaration, wanted: Values): void {
    const { section, name, given } = entry;
    const body = this.#body(entry);
    this.changes.push({ action: 'create', section, name, given, wanted });
    const number = this.operations.push({ operation: `${section}.create`, input: { body } });
    this.#ids.set(entry, `$${number}.id`);
  }

  #update(entry: Declaration, id: string, row: Values, wanted: Values): void {
    const { section, name, given } = entry;
    const kind = kindIn(section);
    this.#ids.set(entry, id);
    const before = declaredValues(kind, row, this.#now);
    const changed = changedFields(kind, before, wanted);
    if (changed.length === 0) return;
    this.changes.push({ action: 'update', section, name, given, wanted, before, changed });
    this.#push(entry, id, changed, this.#body(entry));
  }

  #push(entry: Declaration, id: string, changed: readonly string[], body: Values): void {
    const { verb, body: given } = updateOf(entry, changed, body);
    this.operations.push({ operation: `${entry.section}.${verb}`, input: { id, body: given } });
  }

  /** The edge router in the document whose tunneler the identity belongs to. */
  #routerOf(entry: Declaration): Declaration {
    const router = this.#targets.routerOf(entry);
    if (!router)
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
      const target = this.#targets.find(entry, kind, text);
      return 'id' in target ? target.id : this.#ids.get(target.entry);
    };
  }

  /**
   * Like `#reference`, for entities that may not have been added yet.
   * @param needed receives the entities that the plan creates, each with a placeholder for its id
   */
  #compared(entry: Declaration, needed: Map<Declaration, string>): Rename {
    return (kind, text) => {
      const target = this.#targets.find(entry, kind, text);
      if (!('id' in target)) {
        const id = needed.get(target.entry) ?? futureId(needed.size);
        needed.set(target.entry, id);
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
