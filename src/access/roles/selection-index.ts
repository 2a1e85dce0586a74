/**
 * Selection for many sides and many entities, with the same results as `selects`. It uses indexes, because testing each pair of a page of
 * services and the policies of an identity would block the event loop.
 */

import { readSelectors } from '../../contract/api/kit/index.ts';
import { createTimeSlice, ENTRIES_AT_ONCE } from '../../runtime/concurrency/event-loop.ts';
import type { Selectable, Side } from './membership.ts';

/** Positions of items in their list, by id or attribute. */
type Positions = Map<string, number[]>;

const addPosition = (positions: Positions, key: string, at: number): void => {
  const existing = positions.get(key);
  if (existing) existing.push(at);
  else positions.set(key, [at]);
};

/** The items at the given positions, in list order. */
const itemsAt = <T>(items: readonly T[], positions: ReadonlySet<number>): readonly T[] =>
  positions.size === items.length ? items : [...positions].sort((a, b) => a - b).map((at) => items[at] as T); // within the length

/** The attributes under which a side is indexed: for AllOf, one of the required attributes suffices. */
const indexedAttributes = (semantic: Side['semantic'], attributes: readonly string[]) =>
  semantic === 'AllOf' ? attributes.slice(0, 1) : attributes;

/**
 * For each entity, the items whose side selects it, in list order. Entities with equal attributes that no side names by id share one list,
 * so that callers can memoize by it.
 */
export const selectingEach = async <E extends Selectable, T>(
  entities: Iterable<E>,
  items: readonly T[],
  sideOf: (item: T) => Side,
): Promise<ReadonlyMap<E, readonly T[]>> => {
  const yieldIfDue = createTimeSlice(ENTRIES_AT_ONCE);
  const selectable = new Set<E>();
  const [ids, attributes]: readonly [Positions, Positions] = [new Map(), new Map()];
  for (const entity of entities) {
    selectable.add(entity);
    ids.set(entity.id, []);
    for (const attribute of entity.roleAttributes) if (!attributes.has(attribute)) attributes.set(attribute, []);
    const due = yieldIfDue((1 + entity.roleAttributes.length) / 4);
    if (due) await due;
  }
  const everything: number[] = [];
  const needed = new Map<number, readonly string[]>();
  for (const [at, item] of items.entries()) {
    const { semantic, roles } = sideOf(item);
    const selection = readSelectors(roles);
    if (selection.everything) everything.push(at);
    for (const id of selection.ids) ids.get(id)?.push(at);
    for (const attribute of indexedAttributes(semantic, selection.attributes)) attributes.get(attribute)?.push(at);
    if (semantic === 'AllOf') needed.set(at, selection.attributes);
    await yieldIfDue(roles.length + 1);
  }
  const selecting = new Map<E, readonly T[]>();
  /** Results for entities that no side names by id, by their attributes as JSON. */
  const selectingByAttributes = new Map<string, readonly T[]>();
  const selectingAll = itemsAt(items, new Set(everything));
  for (const entity of selectable) {
    const { id, roleAttributes } = entity;
    const byId = ids.get(id) ?? [];
    const sharedKey = byId.length === 0 ? JSON.stringify(roleAttributes) : undefined;
    const shared = sharedKey === undefined ? undefined : selectingByAttributes.get(sharedKey);
    if (shared) {
      selecting.set(entity, shared);
      const due = yieldIfDue(roleAttributes.length / 4);
      if (due) await due;
      continue;
    }
    const isMet = (at: number) => needed.get(at)?.every((attribute) => roleAttributes.includes(attribute)) ?? true;
    const others = [...byId, ...roleAttributes.flatMap((attribute) => attributes.get(attribute)?.filter(isMet) ?? [])];
    const selectingItems = others.length === 0 ? selectingAll : itemsAt(items, new Set([...everything, ...others]));
    selecting.set(entity, selectingItems);
    if (sharedKey !== undefined) selectingByAttributes.set(sharedKey, selectingItems);
    await yieldIfDue(1 + selectingItems.length);
  }
  return selecting;
};

/** @returns a function that returns the entities that a side selects, in list order */
export const indexEntities = <E extends Selectable>(entities: readonly E[]): ((side: Side) => readonly E[]) => {
  const [byId, byAttribute]: readonly [Positions, Positions] = [new Map(), new Map()];
  for (const [at, { id, roleAttributes }] of entities.entries()) {
    addPosition(byId, id, at);
    for (const attribute of roleAttributes) addPosition(byAttribute, attribute, at);
  }
  return ({ semantic, roles }) => {
    const { everything, ids, attributes } = readSelectors(roles);
    if (everything) return entities;
    const positions = new Set(ids.flatMap((id) => byId.get(id) ?? []));
    const isMet = (at: number) => semantic === 'AnyOf' || attributes.every((attribute) => entities[at]?.roleAttributes.includes(attribute));
    for (const attribute of indexedAttributes(semantic, attributes))
      for (const at of byAttribute.get(attribute) ?? []) if (isMet(at)) positions.add(at);
    return itemsAt(entities, positions);
  };
};
