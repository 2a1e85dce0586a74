/**
 * Evaluates the role arrays of policies in three forms: for one entity in memory, as a predicate over entities, and as a predicate over
 * policies. All three agree: `@id` selects under either semantic, `#all` selects everything, attributes select by AllOf or AnyOf, and an
 * empty array selects nothing. Members are never stored, so a write of a policy affects only its row.
 */

import {
  attributeIndexField,
  EVERYTHING,
  hasSign,
  readSelectors,
  selectorOfAttribute,
  selectorOfId,
} from '../../contract/api/kit/index.ts';
import { ALL, and, equals, NONE, oneOf, or, type Predicate, stringField } from '../../query/index.ts';
import { createTimeSlice, ENTRIES_AT_ONCE } from '../../runtime/concurrency/event-loop.ts';

/** One side of a policy: a role array with the policy's semantic. */
export interface Side {
  readonly semantic: 'AllOf' | 'AnyOf';
  readonly roles: readonly string[];
}

/** An entity that roles can select. */
export interface Selectable {
  readonly id: string;
  readonly roleAttributes: readonly string[];
}

/** True if one side of a policy selects an entity. */
export const selects = ({ semantic, roles }: Side, { id, roleAttributes }: Selectable): boolean => {
  const { everything, hasId, attributes } = readSelectors(roles);
  if (everything || hasId(id)) return true;
  const hasAttribute = (attribute: string) => roleAttributes.includes(attribute);
  return attributes.length > 0 && (semantic === 'AllOf' ? attributes.every(hasAttribute) : attributes.some(hasAttribute));
};

export interface DescribedSide {
  readonly isSelected: boolean;
  /** Each entry of the role array, and whether it matches the entity. */
  readonly selectors: readonly { readonly selector: string; readonly isMatching: boolean }[];
  /** A smallest set of attributes that the entity lacks to be selected; undefined if it is selected, or if no attributes would suffice. */
  readonly missing: readonly string[] | undefined;
}

/** False for a text that a policy can name, but that is not a valid attribute of an entity. */
const isAttribute = (attribute: string): boolean => attribute !== '' && !hasSign(attribute);

/** Explains the result of `selects`, entry by entry. */
export const describeSide = (side: Side, entity: Selectable): DescribedSide => {
  const { attributes } = readSelectors(side.roles);
  const isSelected = selects(side, entity);
  const lacking = attributes.filter((attribute) => !entity.roleAttributes.includes(attribute));
  const needed = side.semantic === 'AllOf' ? lacking : lacking.filter(isAttribute).slice(0, 1);
  const isMatching = (selector: string): boolean =>
    selector === EVERYTHING ||
    selector === selectorOfId(entity.id) ||
    entity.roleAttributes.some((attribute) => selector === selectorOfAttribute(attribute));
  return {
    isSelected,
    selectors: side.roles.map((selector) => ({ selector, isMatching: isMatching(selector) })),
    missing: isSelected || needed.length === 0 || !needed.every(isAttribute) ? undefined : needed,
  };
};

/**
 * Selects the entities that at least one of the sides selects. For any number of sides, all ids are one list, and all attributes that
 * suffice alone are another; only AllOf arrays of several attributes add terms. Yields to the event loop for thousands of roles.
 */
export const selectedBy = async (sides: readonly Side[]): Promise<Predicate> => {
  const ids = new Set<string>();
  const anyOf = new Set<string>();
  const allOf = new Map<string, readonly string[]>();
  const yieldIfDue = createTimeSlice(ENTRIES_AT_ONCE);
  for (const { semantic, roles } of sides) {
    const selection = readSelectors(roles);
    if (selection.everything) return ALL;
    for (const id of selection.ids) ids.add(id);
    const { attributes } = selection;
    if (semantic === 'AllOf' && attributes.length > 1) allOf.set(JSON.stringify(attributes), attributes);
    else for (const attribute of attributes) anyOf.add(attribute);
    await yieldIfDue(1 + roles.length);
  }
  // An AllOf array with an attribute that suffices alone adds no entities.
  const covering = [...allOf.values()].filter((attributes) => !attributes.some((attribute) => anyOf.has(attribute)));
  return or(
    oneOf(stringField('id'), [...ids]),
    anyOf.size === 0 ? NONE : { op: 'overlaps', set: 'roleAttributes', values: [...anyOf] },
    ...covering.map((values): Predicate => ({ op: 'covers', set: 'roleAttributes', values })),
  );
};

/** Selects a superset of the policies that select at least one of the entities by their role array `field`. */
export const maybeSelecting = (field: string, entities: readonly Selectable[]): Predicate => {
  const attributes = new Set(entities.flatMap(({ roleAttributes }) => roleAttributes));
  const values = [EVERYTHING, ...entities.map(({ id }) => selectorOfId(id)), ...[...attributes].map(selectorOfAttribute)];
  return { op: 'overlaps', set: field, values };
};

/**
 * Selects the policies that select an entity by their role array `field`. An entry of the array finds the candidates; for AllOf, the entity
 * must also have all attributes in the attribute index of the array.
 */
export const selecting = (field: string, { id, roleAttributes }: Selectable): Predicate => {
  const directSelectors = [EVERYTHING, selectorOfId(id)];
  return and(
    { op: 'overlaps', set: field, values: [...directSelectors, ...roleAttributes.map(selectorOfAttribute)] },
    or(
      equals(stringField('semantic'), 'AnyOf'),
      { op: 'coveredBy', set: attributeIndexField(field), values: roleAttributes },
      { op: 'overlaps', set: field, values: directSelectors },
    ),
  );
};
