/** The role attributes that a call may add, change and remove, according to its grant. */
import type { Kind } from '../../contract/api/kit/resource.ts';
import type { Change } from '../../contract/changes/events.ts';
import { unauthorized } from '../../contract/errors/index.ts';
import { compileMatcher, type Predicate } from '../../query/index.ts';
import { isSameJson } from '../../store/storage/same-json.ts';
import type { Call } from '../call.ts';

/**
 * The caller must not add, change or remove the end of a role attribute that the filter depends on: it would thereby decide when an entity
 * leaves what the filter covers.
 */
export const assertEndsAllowed = (where: Predicate, changes: readonly Change[]): void => {
  const forbidden = changes
    .flatMap(({ before, after }) => (after ? changedGrants(before, after) : []))
    .find((each) => dependsOn(where, each));
  if (forbidden === undefined) return;
  const name = forbidden.slice(0, 256);
  throw unauthorized(`the role attribute ${name} decides what the caller may write: its end is set, changed and removed by others`);
};

/** True if a filter depends on whether an entity has a role attribute. */
const dependsOn = (where: Predicate, attribute: string): boolean => {
  if (where.op === 'and' || where.op === 'or') return where.terms.some((term) => dependsOn(term, attribute));
  if (where.op === 'not') return dependsOn(where.term, attribute);
  if (!('set' in where) || where.set !== 'roleAttributes') return false;
  if (where.op === 'size') return true;
  if (where.op === 'covers') return where.values.includes(attribute);
  const isMatch = compileMatcher(where);
  return isMatch({ roleAttributes: [attribute] }) !== isMatch({ roleAttributes: [] });
};

/** Role attributes that the caller may not set must be neither added nor removed. */
export const assertAttributesAllowed = (kind: Kind, changes: readonly Change[], { grant: { roleAttributes } }: Call): void => {
  if (!roleAttributes) return;
  const sets = Object.entries(kind.fields).flatMap(([field, { set }]) => (set?.of === 'attributes' ? [field] : []));
  for (const { before, after } of changes)
    for (const field of after ? sets : []) {
      const [had, has] = [attributesIn(before, field), attributesIn(after, field)];
      const changed = [
        ...[...had, ...has].filter((attribute) => !(had.has(attribute) && has.has(attribute))),
        ...changedGrants(before, after),
      ];
      const forbidden = changed.find((attribute) => !roleAttributes(attribute));
      if (forbidden !== undefined) throw unauthorized(`the host does not let the caller set the role attribute ${forbidden.slice(0, 256)}`);
    }
};

/** The role attributes whose grant with an end was added, changed or removed. */
const changedGrants = (before: object | null, after: object | null): readonly string[] => {
  const [old, current] = [grantsIn(before), grantsIn(after)];
  return [...new Set([...old.keys(), ...current.keys()])].filter((attribute) => !isSameJson(old.get(attribute), current.get(attribute)));
};

const grantsIn = (row: object | null): ReadonlyMap<string, unknown> =>
  new Map(Object.entries((row && 'roleAttributeGrants' in row && row.roleAttributeGrants) || {}));

const attributesIn = (row: object | null, field: string): Set<string> =>
  new Set(((row as Readonly<Record<string, unknown>> | null)?.[field] ?? []) as readonly string[]); // its field is declared as a set of strings
