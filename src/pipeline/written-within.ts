import type { Kind } from '../api/kit/resource.ts';
import type { Call } from '../call/call.ts';
import type { Change } from '../changelog/events.ts';
import type { Entities } from '../entities/entities.ts';
import { unauthorized } from '../errors/index.ts';
import { and, compileMatcher, oneOf, type Predicate, stringField } from '../query/index.ts';
import { granted, idsWithin, isOnKind } from '../resources/granted.ts';
import { allKinds } from '../resources/kinds.ts';
import { ownerIn, ownersOf } from '../resources/owners.ts';
import { isSameJson } from '../storage/same-json.ts';

/** Asserts that what a call has written stays within its grant, for the kinds that its right covers. @throws ApiError `UNAUTHORIZED` */
export const assertWrittenWithin = async (entities: Entities, call: Call): Promise<void> => {
  const { right, where, changeable, roleAttributes } = call.grant;
  if (where === undefined && changeable.size === 0 && !roleAttributes) return;
  for (const kind of allKinds) {
    if (!isOnKind(right, kind)) continue;
    const changes = entities.changes.filter(({ entity }) => entity === kind.kind);
    if (changes.length === 0) continue;
    await assertRowsWithin(entities, kind, changes, call);
    await assertOwnersWithin(entities, kind, changes, call);
    assertAttributesAllowed(kind, changes, call);
  }
};

/** No written entity may end up outside the filter. */
const assertRowsWithin = async (entities: Entities, kind: Kind, changes: readonly Change[], call: Call): Promise<void> => {
  const written = changes.filter(({ action }) => action !== 'delete').map(({ entityId }) => entityId);
  const rows = await entities.list(kind, { where: oneOf(stringField('id'), [...new Set(written)]) });
  const where = await granted(entities, kind, call, rows);
  if (where.op === 'all') return;
  assertEndsAllowed(where, changes);
  const ids = oneOf(
    stringField('id'),
    rows.map(({ id }) => id),
  );
  if ((await entities.count(kind, and(ids, where))) < rows.length)
    throw unauthorized(
      `this ${kind.kind} would be outside the scope that the host's rule allows${call.grant.where ? `: ${call.grant.where}` : ''}`,
    );
};

/** No end of a role attribute on which the filter depends may be changed: at that time the entity would leave what the filter covers, or stay. */
const assertEndsAllowed = (where: Predicate, changes: readonly Change[]): void => {
  const bad = changes.flatMap(({ before, after }) => (after ? regranted(before, after) : [])).find((each) => dependsOn(where, each));
  if (bad === undefined) return;
  const name = bad.slice(0, 256);
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

/** Changed and deleted entities must have belonged to owners that the caller may change. An owner that no longer exists was deleted in this transaction. */
const assertOwnersWithin = async (entities: Entities, kind: Kind, changes: readonly Change[], call: Call): Promise<void> => {
  for (const owner of ownersOf(kind)) {
    const before = changes.flatMap(({ before }) => (before ? (ownerIn({ ...before }, owner) ?? []) : []));
    const owners = await entities.referenced(owner.target, 'id', [...new Set(before)]);
    const within = await idsWithin(entities, owner.target, call.grant.changeable, owners, call);
    if (within.length < owners.length)
      throw unauthorized(`this ${kind.kind} belongs to an entity outside the scope that the host's rule allows`);
  }
};

/** No role attribute that the caller may not set may have been added or removed. */
const assertAttributesAllowed = (kind: Kind, changes: readonly Change[], { grant: { roleAttributes } }: Call): void => {
  if (!roleAttributes) return;
  const sets = Object.entries(kind.fields).flatMap(([field, { set }]) => (set?.of === 'attributes' ? [field] : []));
  for (const { before, after } of changes)
    for (const field of after ? sets : []) {
      const [had, has] = [attributesIn(before, field), attributesIn(after, field)];
      const changed = [...[...had, ...has].filter((attribute) => !(had.has(attribute) && has.has(attribute))), ...regranted(before, after)];
      const bad = changed.find((attribute) => !roleAttributes(attribute));
      if (bad !== undefined) throw unauthorized(`the host does not let the caller set the role attribute ${bad.slice(0, 256)}`);
    }
};

/** The role attributes whose grant with an end was added, changed or removed. */
const regranted = (before: object | null, after: object | null): readonly string[] => {
  const [old, current] = [grantsIn(before), grantsIn(after)];
  return [...new Set([...old.keys(), ...current.keys()])].filter((attribute) => !isSameJson(old.get(attribute), current.get(attribute)));
};

const grantsIn = (row: object | null): ReadonlyMap<string, unknown> =>
  new Map(Object.entries((row && 'roleAttributeGrants' in row && row.roleAttributeGrants) || {}));

const attributesIn = (row: object | null, field: string): Set<string> =>
  new Set(((row as Readonly<Record<string, unknown>> | null)?.[field] ?? []) as readonly string[]); // its field is declared as a set of strings
