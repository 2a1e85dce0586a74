import { readSelectors } from '../../../../api/kit/selectors.ts';
import type { Selectable, Side } from '../../../policy/roles/membership.ts';

/** Entities of a kind by their role attributes: what a policy selects of thousands is found without looking at each. Agrees with `selects`. */
export class AttributedEntities {
  readonly #attributesOf = new Map<string, readonly string[]>();
  readonly #carrying = new Map<string, Set<string>>();

  put({ id, roleAttributes }: Selectable): void {
    this.remove(id);
    this.#attributesOf.set(id, roleAttributes);
    for (const attribute of roleAttributes) {
      const ids = this.#carrying.get(attribute) ?? new Set();
      this.#carrying.set(attribute, ids.add(id));
    }
  }

  remove(id: string): void {
    for (const attribute of this.#attributesOf.get(id) ?? []) {
      const ids = this.#carrying.get(attribute);
      ids?.delete(id);
      if (ids?.size === 0) this.#carrying.delete(attribute);
    }
    this.#attributesOf.delete(id);
  }

  /** Ids of those that a side of a policy selects. */
  selectedBy({ semantic, roles }: Side): ReadonlySet<string> {
    const { everything, ids, attributes } = readSelectors(roles);
    if (everything) return new Set(this.#attributesOf.keys());
    const selected = new Set(ids.filter((id) => this.#attributesOf.has(id)));
    const carriers = attributes.map((attribute) => this.#carrying.get(attribute) ?? new Set<string>());
    if (semantic === 'AnyOf') for (const one of carriers) for (const id of one) selected.add(id);
    else {
      const [fewest, ...others] = carriers.toSorted((a, b) => a.size - b.size);
      for (const id of fewest ?? []) if (others.every((one) => one.has(id))) selected.add(id);
    }
    return selected;
  }
}
