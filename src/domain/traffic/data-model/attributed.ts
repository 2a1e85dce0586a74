import { readSelectors } from '../../../api/kit/selectors.ts';
import { createIndexedMap } from '../../../platform/groups.ts';
import type { Selectable, Side } from '../../policy/roles/membership.ts';

/** Entities of a kind by their role attributes: what a policy selects of thousands is found without looking at each. Agrees with `selects`. */
export class AttributedEntities {
  readonly #entities = createIndexedMap<Selectable>(({ roleAttributes }) => roleAttributes);

  put({ id, roleAttributes }: Selectable): void {
    this.#entities.set({ id, roleAttributes });
  }

  remove(id: string): void {
    this.#entities.delete(id);
  }

  /** Ids of those that a side of a policy selects. */
  selectedBy({ semantic, roles }: Side): ReadonlySet<string> {
    const { everything, ids, attributes } = readSelectors(roles);
    if (everything) return new Set(this.#entities.all().map(({ id }) => id));
    const selected = new Set(ids.filter((id) => this.#entities.get(id)));
    const [fewest, ...others] = attributes.toSorted((a, b) => this.#entities.size(a) - this.#entities.size(b));
    const carriers = semantic === 'AnyOf' ? attributes.flatMap(this.#entities.of) : fewest === undefined ? [] : this.#entities.of(fewest);
    for (const { id, roleAttributes } of carriers)
      if (semantic === 'AnyOf' || others.every((attribute) => roleAttributes.includes(attribute))) selected.add(id);
    return selected;
  }
}
