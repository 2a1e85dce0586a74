/** Evaluates the grant of a call: the entities that it may see and change, as predicates and as ids. */
import { identity } from '../../contract/api/identities.ts';
import type { Kind } from '../../contract/api/kit/resource.ts';
import { rightPrefix } from '../../contract/api/kit/right.ts';
import { notFound } from '../../contract/errors/index.ts';
import {
  ALL,
  and,
  equals,
  FilterError,
  NONE,
  not,
  oneOf,
  or,
  type Predicate,
  readFilter,
  rewrite,
  stringField,
} from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import type { Row } from '../../store/storage/port.ts';
import { protectedFrom } from '../actor.ts';
import { behaviourOf } from '../behaviour.ts';
import type { Call } from '../call.ts';
import { type Grant, OWN_RIGHT } from '../grant.ts';
import { EVERY_ENTITY, type Limit, type Limits, limitIn, textOfLimit } from '../limit.ts';
import { isForSomebody } from './credential-fields.ts';
import { allKinds, kindOf } from './kinds.ts';
import { type Owner, ownerIn, ownersOf } from './owners.ts';
import { symbolsFor } from './symbols.ts';

/** True if a right applies to entities of this kind. */
export const isOnKind = (right: string | undefined, kind: Kind): boolean => right?.startsWith(`${rightPrefix(kind)}.`) ?? false;

/** The limits that a call is subject to: what it may change, or only see. */
const limitsOf = ({ right, visible, changeable }: Grant): Limits => (right === undefined || right.endsWith('.read') ? visible : changeable);

/** The limit on the entities of a kind. */
export const limitOn = (grant: Grant, kind: Kind): Limit => limitIn(isOnKind(grant.right, kind) ? limitsOf(grant) : grant.visible, kind);

/**
 * The predicate of the entities of a kind that a call may see or, if its right is on the kind, read or write: they satisfy the limit of the
 * right, and their owners are within theirs.
 * @throws TypeError if a filter of the host's rule on what the right covers is invalid, which is a mistake of the host, not of the caller
 */
export const granted = async (entities: Entities, kind: Kind, call: Call): Promise<Predicate> => {
  const { grant } = call;
  const limit = limitOn(grant, kind);
  if (!isOnKind(grant.right, kind)) return limit === EVERY_ENTITY ? ALL : satisfyingOrNone(entities, kind, limit, call);
  const terms = [await resolved(entities, kind, predicateOf(kind, limit), call)];
  for (const owner of ownersOf(kind)) terms.push(await ownedWithin(entities, owner, call));
  if (grant.permissions && isForSomebody(kind)) terms.push(await ofNoneProtected(entities, kind, grant.permissions));
  return and(...terms);
};

/**
 * The ids of some rows that the right of a call covers.
 * @throws as `granted`
 */
export const coveredIds = async (entities: Entities, kind: Kind, rows: readonly Row[], call: Call): Promise<ReadonlySet<string>> => {
  const { grant } = call;
  const ids = rows.map(({ id }) => id);
  if (!isOnKind(grant.right, kind) || rows.length === 0) return new Set(ids);
  const own = await resolved(entities, kind, predicateOf(kind, limitOn(grant, kind)), call);
  const covered = new Set(own.op === 'all' ? ids : await entities.referenced(kind, 'id', ids, own));
  for (const owner of ownersOf(kind)) {
    const ownerIds = rows.flatMap((row) => ownerIn(row, owner) ?? []);
    const within = new Set(await idsIn(entities, owner.target, limitIn(limitsOf(grant), owner.target), ownerIds, call));
    const held = owner.target === identity && isForSomebody(kind) ? grant.permissions : undefined;
    const beyond = new Set(held && (await entities.referenced(identity, 'id', ownerIds, protectedFrom(held))));
    for (const row of rows) {
      const id = ownerIn(row, owner);
      if (id !== undefined && (!within.has(id) || beyond.has(id))) covered.delete(row.id);
    }
  }
  return covered;
};

/** @throws ApiError `NOT_FOUND` for an entity that is not within the right of the call. One that does not exist any more is */
export const assertWithin = async (entities: Entities, kind: Kind, id: string, call: Call): Promise<void> => {
  const row = await entities.get(kind, id);
  if (row && (await coveredIds(entities, kind, [row], call)).size === 0) throw notFound(kind.kind, id);
};

/** The ids of the entities that the caller may see. */
export const visibleIds = async (entities: Entities, kind: Kind, ids: readonly string[], call: Call): Promise<ReadonlySet<string>> =>
  new Set(await idsIn(entities, kind, limitIn(call.grant.visible, kind), ids, call));

/** Selects the items that belong to no entity of a kind beyond the limits of a call. See `Operation.belongsTo`. */
export const belongingWithin = async <T>(
  entities: Entities,
  kind: Kind,
  items: readonly T[],
  owners: (item: T) => readonly string[],
  call: Call,
): Promise<readonly T[]> => {
  const limit = limitIn(limitsOf(call.grant), kind);
  if (limit === EVERY_ENTITY) return items;
  const ids = [...new Set(items.flatMap(owners))];
  const within = new Set(await idsIn(entities, kind, limit, ids, call));
  return items.filter((item) => owners(item).every((id) => within.has(id)));
};

/** True if the caller may see an entity. */
export const isVisible = async (entities: Entities, kind: Kind, id: string, call: Call): Promise<boolean> =>
  (await idsIn(entities, kind, limitIn(call.grant.visible, kind), [id], call)).length > 0;

/** The predicate with its subqueries restricted to entities that the caller may see. */
export const withinLimits = async (entities: Entities, where: Predicate, call: Call): Promise<Predicate> => {
  if (call.grant === OWN_RIGHT) return where;
  return rewrite(where, async (node) => {
    const { of } = node.op === 'size' ? node : {};
    const kind = of && kindOf(of.kind);
    if (node.op !== 'size' || !of || !kind) return node;
    return { ...node, of: { ...of, where: and(of.where, await granted(entities, kind, call)) } };
  });
};

/** The ids that are within a limit. A filter that is not valid on the kind allows none, and is logged. */
export const idsIn = async (
  entities: Entities,
  kind: Kind,
  limit: Limit,
  ids: readonly string[],
  call: Call,
): Promise<readonly string[]> => {
  if (limit.is === 'nothing' || ids.length === 0) return [];
  if (limit.is === 'everything') return ids;
  if (limit.is === 'or') {
    const alternatives = await Promise.all(limit.limits.map((each) => idsIn(entities, kind, each, ids, call)));
    return [...new Set(alternatives.flat())];
  }
  const filtered = fitting(kind, limit);
  return entities.referenced(filtered, 'id', [...new Set(ids)], await satisfyingOrNone(entities, filtered, limit, call));
};

/** The predicate of a limit on what the right does not cover; `NONE`, with a line in the log, if one of its filters is invalid. */
const satisfyingOrNone = async (entities: Entities, kind: Kind, limit: Limit, call: Call): Promise<Predicate> => {
  const where = validOn(kind, limit);
  if (where) return resolved(entities, kind, where, call);
  const { requestId, operation, core } = call;
  const message = 'the authorize rule of the host limited a kind by an invalid filter: no entity of that kind is visible';
  core.platform.logger.error(message, { requestId, operationId: operation.operationId, kind: kind.kind, where: textOfLimit(limit) });
  return NONE;
};

const resolved = async (entities: Entities, kind: Kind, where: Predicate, call: Call): Promise<Predicate> =>
  (await behaviourOf(call, kind)?.resolve?.(entities, where, call)) ?? where;

/** The predicate of the entities whose owner, if any, is within the limits on its kind. */
const ownedWithin = async (entities: Entities, { field, target, while: condition }: Owner, call: Call): Promise<Predicate> => {
  const limit = limitsOf(call.grant).get(target.kind);
  if (!limit) return ALL;
  const ownerId = stringField(field);
  const hasNoOwner = condition ? not(equals(stringField(condition[0]), condition[1])) : ({ op: 'isNull', field: ownerId } as const);
  const filtered = fitting(target, limit);
  const within = await satisfyingOrNone(entities, filtered, limit, call);
  // Lists the owners within the limits or those beyond them, whichever are fewer.
  const isMajority = filtered === target && (await entities.count(filtered, within)) * 2 > (await entities.count(filtered, ALL));
  const ids = (await entities.list(filtered, { where: isMajority ? not(within) : within })).map(({ id }) => String(id));
  return or(hasNoOwner, isMajority ? not(oneOf(ownerId, ids)) : oneOf(ownerId, ids));
};

const idsOfProtected = async (entities: Entities, permissions: readonly string[]): Promise<readonly string[]> =>
  (await entities.list(identity, { where: protectedFrom(permissions) })).map(({ id }) => id);

/** The entities of a kind that do not belong to identities with more rights than the caller. */
export const ofNoneProtected = async (entities: Entities, kind: Kind, permissions: readonly string[]): Promise<Predicate> => {
  const beyond = await idsOfProtected(entities, permissions);
  const owners = ownersOf(kind).filter(({ target }) => target === identity);
  return and(...owners.map(({ field }) => not(oneOf(stringField(field), beyond))));
};

const FOR_SOMEBODY = allKinds.filter(isForSomebody).map(({ kind }) => kind);

/**
 * The records of the change log that a caller may see: not those of entities that lists hide from it, which belong to identities with more
 * rights.
 */
export const shownRecords = async (entities: Entities, { grant: { permissions } }: Pick<Call, 'grant'>): Promise<Predicate> => {
  if (!permissions) return ALL;
  const beyond = await idsOfProtected(entities, permissions);
  const owners = (['before', 'after'] as const).map((state) => oneOf({ path: [state, 'identityId'], type: 'string' }, beyond));
  return not(and(oneOf(stringField('entity'), FOR_SOMEBODY), or(...owners)));
};

/**
 * The kind to which a limit applies: the kind itself or, if it is invalid for it, a view of its table that shares its right. For example, a
 * right to routers may be limited by fields that only edge routers have.
 */
const fitting = (kind: Kind, limit: Limit): Kind =>
  fits(limit, kind)
    ? kind
    : (allKinds.find((each) => each.view?.of === kind.kind && rightPrefix(each) === rightPrefix(kind) && fits(limit, each)) ?? kind);

/** True if the filters of a limit are valid on a kind, or those of one of its alternatives. */
export const fits = (limit: Limit, kind: Kind): boolean =>
  limit.is === 'or' ? limit.limits.some((each) => fits(each, kind)) : validOn(kind, limit) !== undefined;

const validOn = (kind: Kind, limit: Limit): Predicate | undefined => {
  try {
    return predicateOf(kind, limit);
  } catch {
    return undefined;
  }
};

/**
 * The predicate of a limit, in which symbols of the kind may have to be resolved.
 * @throws TypeError for a filter that is not valid on the kind
 */
export const predicateOf = (kind: Kind, limit: Limit): Predicate => {
  if (limit.is === 'everything') return ALL;
  if (limit.is === 'nothing') return NONE;
  if (limit.is === 'where') return bind(limit.filter, kind);
  return (limit.is === 'and' ? and : or)(...limit.limits.map((each) => predicateOf(kind, each)));
};

const bind = (where: string, kind: Kind): Predicate => {
  try {
    const { where: bound, sort, skip, limit } = readFilter(where, symbolsFor(kind));
    if (sort !== undefined || skip !== undefined || limit !== undefined)
      throw new TypeError(`authorize gave '${where}': it takes a condition alone`);
    return bound;
  } catch (error) {
    if (error instanceof FilterError)
      throw new TypeError(`authorize gave '${where}', which is not a filter on ${kind.kind}: ${error.message}`);
    throw error;
  }
};
