import type { Operation } from '../api/kit/operation.ts';
import { PERMISSIONS, type PermissionScope, permissionsFor, permissionsInBoth, type ScopedPermissions } from '../api/permissions.ts';
import { surfaces } from '../api/surfaces/index.ts';
import { type Actor, hasAdministratorRights, isAdministrator, isKnownToRouters, permissionsOf, scopesOf } from '../call/actor.ts';
import type { Call } from '../call/call.ts';
import { unauthorized } from '../errors/index.ts';
import { filter } from '../query/filter-text.ts';
import { isFilterOn } from '../resources/granted.ts';
import type { Aside } from './asides.ts';
import { takesRight } from './authorize.ts';
import { type Limit, limitableKinds, type Verdict } from './host-rule.ts';

/** What the permissions of an identity say about a call, in the terms of a host's rule. */
export interface PermissionVerdict {
  /** Those that apply to all entities. */
  readonly held: readonly string[];
  readonly verdict: Exclude<Verdict, undefined | false>;
  /** The right that the permissions give, if it is not that of the operation. */
  readonly right?: string | undefined;
  /** How far a related kind is visible, and whether credentials are. */
  aside(aside: Aside): Verdict;
}

/**
 * The verdict of the permissions that the caller's identity holds. An administrator needs none. On the client API, and in a session that routers know, they
 * mean nothing. A session that owes a factor is refused by `authorize`.
 * @returns undefined if none of them allows the operation
 */
export const verdictByPermission = (
  { surface }: Pick<Call, 'surface'>,
  actor: Actor,
  operation: Operation,
): PermissionVerdict | undefined => {
  if (surface === surfaces.client || !('identity' in actor) || isAdministrator(actor) || isKnownToRouters(actor)) return undefined;
  if (actor.kind === 'token' && hasAdministratorRights(actor.owner)) return takesRight(operation) ? OF_ADMINISTRATORS : undefined;
  return verdictBy(operation, actor.identity);
};

/** Limits nothing: what an administrator may do with an API token is up to the permissions of the token. */
const OF_ADMINISTRATORS: PermissionVerdict = {
  held: PERMISSIONS,
  verdict: true,
  aside: ({ about }) => about === 'credentials' || undefined,
};

/**
 * The verdict of the permissions of the call's API token, which bounds whatever else allows the call.
 * @returns undefined for a call without one or with all rights of an administrator, and for an operation that takes no right
 * @throws ApiError `UNAUTHORIZED` if none of its permissions allows the operation
 */
export const boundByToken = (actor: Actor, operation: Operation): PermissionVerdict | undefined => {
  if (actor.kind !== 'token' || actor.apiToken.isAdmin || !takesRight(operation)) return undefined;
  const bound = verdictBy(operation, actor.apiToken);
  if (!bound) throw unauthorized('the API token has no permission to do this');
  return bound;
};

/** The permissions that count for a call: those of its identity, as far as its API token has them, too. */
export const heldWithin = ({ held }: PermissionVerdict, bound: PermissionVerdict | undefined): readonly string[] =>
  bound ? permissionsInBoth(held, bound.held) : held;

type Holder = Parameters<typeof permissionsOf>[0] & Parameters<typeof scopesOf>[0];

const verdictBy = (operation: Operation, holder: Holder): PermissionVerdict | undefined => {
  const { permission, ofAll, grantable } = operation;
  const [held, scopes] = [permissionsOf(holder), scopesOf(holder)];
  const wanted = permissionsFor({ permission: ofAll ?? permission, ...(grantable === undefined ? {} : { grantable }) });
  const right = Array.isArray(grantable) ? grantable.find((name) => name.includes('.')) : undefined;
  if (wanted.some((name) => held.includes(name)))
    return { held, verdict: true, right, aside: (aside) => asideVerdict(aside, held, scopes) };
  const limit = Array.isArray(grantable) ? undefined : limitOf(scopes, wanted);
  if (!limit) return undefined;
  const isOfEnrollments = entityOf(permission) === ENROLLMENT;
  const verdict = isOfEnrollments ? OF_IDENTITIES : limit;
  const limited = limitableKinds(operation, permission);
  // Routers of the fabric carry no role attributes, so none of them is within a scope.
  if (limited.length === 0 || !limited.every((kind) => isFilterOn(verdict.where, kind))) return undefined;
  const { where } = limit;
  const isOfOwner = ({ about, right }: Aside) => isOfEnrollments && about === 'visibility' && entityOf(right) === IDENTITY;
  return { held, verdict, aside: (aside) => (isOfOwner(aside) ? { where } : asideVerdict(aside, held, scopes)) };
};

/** Enrollments have no role attributes: those of the identities that they belong to count, and those of routers belong to none. */
const OF_IDENTITIES: Limit = { where: 'identity != null' };
const ENROLLMENT = 'enrollment';
const IDENTITY = 'identity';
const entityOf = (right = ''): string => right.split('.')[0] ?? '';

/** The union of some scopes as a limit; undefined if none of these permissions is held with a scope. */
const limitOf = (scopes: ScopedPermissions, names: readonly string[]): Limit | undefined => {
  const applicable = names.flatMap((name): readonly PermissionScope[] => (scopes[name] ? [scopes[name]] : []));
  if (applicable.length === 0) return undefined;
  const within = applicable.flatMap(({ roleAttributes }) => roleAttributes);
  const assignable = new Set([...within, ...applicable.flatMap(({ assignableRoleAttributes }) => assignableRoleAttributes ?? [])]);
  return { where: filter`anyOf(roleAttributes) in ${within}`, roleAttributes: (attribute) => assignable.has(attribute) };
};

/**
 * A holder of scoped permissions on a kind sees of it only what lies within, wherever it is shown. Credentials are shown with a right to create or update
 * the entities, never with a right to read. Who holds none may not see the kind, where that matters (`Operation.shows`).
 */
const asideVerdict = ({ about, right = '' }: Aside, held: readonly string[], scopes: ScopedPermissions): Verdict => {
  const entity = entityOf(right);
  const isShown = about === 'credentials';
  const enough = isShown ? [right, entity] : permissionsFor({ permission: `${entity}.read` });
  if (enough.some((name) => held.includes(name))) return isShown || undefined;
  const limit = limitOf(scopes, isShown ? enough : Object.keys(scopes).filter((name) => entityOf(name) === entity));
  return limit ? { where: limit.where } : false;
};
