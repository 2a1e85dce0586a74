import { identity } from '../api/identities.ts';
import type { Kind } from '../api/kit/resource.ts';
import { rightsOf } from '../api/kit/right.ts';
import { protectedFrom } from '../call/actor.ts';
import { behaviourOf } from '../call/behaviour.ts';
import type { Call } from '../call/call.ts';
import { type Grant, type Limits, OWN_RIGHT } from '../call/grant.ts';
import type { Entities } from '../entities/entities.ts';
import { notFound } from '../errors/index.ts';
import { ALL, and, equals, FilterError, NONE, not, oneOf, or, type Predicate, readFilter, rewrite, stringField } from '../query/index.ts';
import type { Row } from '../storage/port.ts';
import { isForSomebody } from './credential-fields.ts';
import { allKinds, kindOf } from './kinds.ts';
import { type Owner, ownerIn, ownersOf } from './owners.ts';
import { symbolsFor } from './symbols.ts';

/** True if a right applies to entities of this kind. */
export const isOnKind = (right: string | undefined, kind: Kind): boolean => right?.startsWith(`${rightsOf(kind)}.`) ?? false;

/**
 * The predicate of the entities of a kind that a call may read or write: they satisfy the filter of its right, and their owners are within its limits.
 * @param rows if given, the predicate is only valid for these rows, which makes it cheaper
 * @throws TypeError if a filter of the host's rule is invalid, which is a mistake of the host, not of the caller
 */
export const granted = async (
  entities: Entities,
  kind: Kind,
  call: Call,
  rows?: readonly Row[],
  grant = call.grant,
): Promise<Predicate> => {
  const { right, where, visible, changeable } = grant;
  if (!isOnKind(right, kind)) return ALL;
  const terms = [where === undefined ? ALL : await resolved(entities, kind, bind(where, kind), call)];
  for (const owner of ownersOf(kind)) {
    const limits = right?.endsWith('.read') ? visible : changeable;
    terms.push(await ownedWithin(entities, owner, limits, call, rows));
  }
  if (grant.permissions && isForSomebody(kind)) terms.push(await ofNoneProtected(entities, kind, grant.permissions));
  return and(...terms);
};

const idsOfProtected = async (entities: Entities, permissions: readonly string[]): Promise<readonly string[]> =>
  (await entities.list(identity, { where: protectedFrom(permissions) })).map(({ id }) => id);

/** The records of the change log that a caller may see: not those of entities that lists hide from it, which belong to identities with more rights. */
export const shownRecords = async (entities: Entities, { grant: { permissions } }: Pick<Call, 'grant'>): Promise<Predicate> => {
  if (!permissions) return ALL;
  const beyond = await idsOfProtected(entities, permissions);
  const owners = (['before', 'after'] as const).map((state) => oneOf({ path: [state, 'identityId'], type: 'string' }, beyond));
  return not(and(oneOf(stringField('entity'), FOR_SOMEBODY), or(...owners)));
};

const FOR_SOMEBODY = allKinds.filter(isForSomebody).map(({ kind }) => kind);

/** The entities of a kind that do not belong to identities with more rights than the caller. */
export const ofNoneProtected = async (entities: Entities, kind: Kind, permissions: readonly string[]): Promise<Predicate> => {
  const beyond = await idsOfProtected(entities, permissions);
  return and(
    ...ownersOf(kind)
      .filter(({ target }) => target === identity)
      .map(({ field }) => not(oneOf(stringField(field), beyond))),
  );
};

/** @throws ApiError `NOT_FOUND` for an entity that is not within the right of the call. One that does not exist any more is */
export const assertWithin = async (entities: Entities, kind: Kind, id: string, call: Call): Promise<void> => {
  const row = await entities.get(kind, id);
  if (row && (await entities.count(kind, and(equals(stringField('id'), id), await granted(entities, kind, call, [row])))) === 0)
    throw notFound(kind.kind, id);
};

/** True if the caller may see an entity of a kind that its right is not on. */
export const isVisible = async (entities: Entities, kind: Kind, id: string, call: Call, { visible } = call.grant): Promise<boolean> =>
  (await idsWithin(entities, kind, visible, [id], call)).length > 0;

/** The predicate of the entities of a kind that the caller may see, for a kind that its right is not on. */
export const visibleOf = async (entities: Entities, kind: Kind, call: Call): Promise<Predicate> => {
  const filters = call.grant.visible.get(kind.kind);
  return filters ? bound(entities, kind, filters, call) : ALL;
};

/** The predicate with its subqueries restricted to entities that the caller may see. */
export const withinLimits = (entities: Entities, where: Predicate, call: Call): Promise<Predicate> =>
  rewrite(where, async (node) => {
    const { of } = node.op === 'size' ? node : {};
    const kind = of && kindOf(of.kind);
    if (node.op !== 'size' || !of || !kind) return node;
    return { ...node, of: { ...of, where: and(of.where, await visibleOf(entities, kind, call)) } };
  });

/** A filter that no entity satisfies. */
export const NOTHING = 'false';
/** Maximum number of filters on one kind, so that no query becomes too long for a store. With more, nothing of the kind is visible. */
const MAX_FILTERS = 20;

/**
 * The extent of a call once a part of it has run: as far as both grants reach. The filter of the part's right becomes a limit on the kinds that the right is
 * on. Not combined are role attributes, which each part has checked; and an answer about the whole shows no credentials.
 */
export const narrowedBy = (grant: Grant, part: Grant): Grant => {
  if (part === OWN_RIGHT) return grant;
  const { where, right, isDelegated, permissions } = part;
  const own: Limits = new Map(where === undefined ? [] : allKinds.flatMap((kind) => (isOnKind(right, kind) ? [[kind.kind, [where]]] : [])));
  return {
    ...grant,
    isDelegated: grant.isDelegated || isDelegated,
    ...(permissions && { permissions }), // those of the same caller, in all its parts
    visible: [part.visible, own].reduce(withinBoth, grant.visible),
    changeable: [part.changeable, own].reduce(withinBoth, grant.changeable),
    credentials: new Map(),
  };
};

const withinBoth = (one: Limits, other: Limits): Limits => {
  const both = new Map(one);
  for (const [kind, filters] of other) {
    const all = new Set([...(one.get(kind) ?? []), ...filters]);
    both.set(kind, all.size > MAX_FILTERS ? [NOTHING] : [...all]);
  }
  return both;
};

/** The ids that are within the limits on their kind. */
export const idsWithin = async (
  entities: Entities,
  kind: Kind,
  limits: Limits,
  ids: readonly string[],
  call: Call,
): Promise<readonly string[]> => {
  const filters = limits.get(kind.kind);
  if (!filters || ids.length === 0) return ids;
  const filtered = fitting(kind, filters);
  return entities.referenced(filtered, 'id', [...new Set(ids)], await bound(entities, filtered, filters, call));
};

/** The conjunction of the filters that limit a kind; `NONE` if one of them is invalid. For kinds to which the right of the call does not apply. */
export const bound = async (entities: Entities, kind: Kind, filters: readonly string[], call: Call): Promise<Predicate> => {
  const terms: Predicate[] = [];
  for (const where of filters) {
    const term = filterOn(where, kind);
    if (!term) {
      const { requestId, operation, core } = call;
      const message = 'the authorize rule of the host limited a kind by an invalid filter: no entity of that kind is visible';
      core.platform.logger.error(message, { requestId, operationId: operation.operationId, kind: kind.kind, where });
      return NONE;
    }
    terms.push(term);
  }
  return resolved(entities, kind, and(...terms), call);
};

const resolved = async (entities: Entities, kind: Kind, where: Predicate, call: Call): Promise<Predicate> =>
  (await behaviourOf(call, kind)?.resolve?.(entities, where, call)) ?? where;

/** The predicate of the entities whose owner, if any, is within the limits on its kind. */
const ownedWithin = async (
  entities: Entities,
  owner: Owner,
  limits: Limits,
  call: Call,
  rows: readonly Row[] | undefined,
): Promise<Predicate> => {
  const { field, target, while: condition } = owner;
  const filters = limits.get(target.kind);
  if (!filters) return ALL;
  const ownerId = stringField(field);
  const hasNoOwner = condition ? not(equals(stringField(condition[0]), condition[1])) : ({ op: 'isNull', field: ownerId } as const);
  if (rows) {
    const ids = rows.flatMap((row) => ownerIn(row, owner) ?? []);
    return or(hasNoOwner, oneOf(ownerId, await idsWithin(entities, target, limits, ids, call)));
  }
  const filtered = fitting(target, filters);
  const within = await bound(entities, filtered, filters, call);
  // Lists the owners within the limits or those beyond them, whichever are fewer.
  const isMajority = filtered === target && (await entities.count(filtered, within)) * 2 > (await entities.count(filtered, ALL));
  const ids = (await entities.list(filtered, { where: isMajority ? not(within) : within })).map(({ id }) => String(id));
  return or(hasNoOwner, isMajority ? not(oneOf(ownerId, ids)) : oneOf(ownerId, ids));
};

/**
 * The kind to which filters apply: the kind itself or, if they are invalid for it, a view of its table that shares its right. For example, a right to
 * routers may be limited by fields that only edge routers have.
 */
export const fitting = (kind: Kind, filters: readonly string[]): Kind => {
  const fits = (each: Kind) => filters.every((filter) => filterOn(filter, each) !== undefined);
  return fits(kind)
    ? kind
    : (allKinds.find((each) => each.view?.of === kind.kind && rightsOf(each) === rightsOf(kind) && fits(each)) ?? kind);
};

/** True if it is a valid filter on the kind. */
export const isFilterOn = (where: string, kind: Kind): boolean => filterOn(where, kind) !== undefined;

/** The predicate of a filter; undefined if the filter is invalid for the kind. */
const filterOn = (where: string, kind: Kind): Predicate | undefined => {
  try {
    return bind(where, kind);
  } catch {
    return undefined;
  }
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
