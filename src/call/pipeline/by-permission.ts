import type { Operation } from '../../contract/api/kit/operation.ts';
import { entityIn, PERMISSIONS, permissionsFor } from '../../contract/api/permissions.ts';
import { surfaces } from '../../contract/api/surfaces/index.ts';
import { unauthorized } from '../../contract/errors/index.ts';
import { filter } from '../../query/filter-text.ts';
import { type Actor, hasAdministratorRights, isAdministrator, isKnownToRouters, permissionsOf, scopesOf } from '../actor.ts';
import type { Call } from '../call.ts';
import { satisfying } from '../limit.ts';
import { fits } from '../resources/granted.ts';
import type { Aside } from './asides.ts';
import { takesRight } from './authorize.ts';
import { type LimitedVerdict, limitableKinds, type Verdict } from './host-rule.ts';

/** The verdict of permissions on a call, in the terms of a host's rule. */
export interface PermissionVerdict {
  /** Those that apply to all entities. */
  readonly held: readonly string[];
  readonly verdict: true | LimitedVerdict;
  /**
   * The identities to whose enrollments the verdict applies, if it is on enrollments. Whatever a rule says of identities, it is no more
   * than these.
   */
  readonly owners?: LimitedVerdict;
  /** The right that the permissions give, if it is not that of the operation. */
  readonly right?: string | undefined;
  /** The visibility of a related kind, or of credentials. */
  aside(aside: Aside): Verdict;
}

/**
 * The verdict of the permissions that the caller's identity holds. An administrator needs none. On the client API, and in a session that
 * routers know, they mean nothing. A session that owes a factor is refused by `authorize`.
 * @returns undefined if none of them allows the operation
 */
export const verdictByPermission = (
  { surface }: Pick<Call, 'surface'>,
  actor: Actor,
  operation: Operation,
): PermissionVerdict | undefined => {
  if (surface === surfaces.client || !('identity' in actor) || isAdministrator(actor) || isKnownToRouters(actor)) return undefined;
  if (actor.kind === 'token' && hasAdministratorRights(actor.owner)) return takesRight(operation) ? OF_ADMINISTRATORS : undefined;
  return verdictOn(operation, actor.identity);
};

/** Limits nothing: what an administrator may do with an API token is up to the permissions of the token. */
const OF_ADMINISTRATORS: PermissionVerdict = { held: PERMISSIONS, verdict: true, aside: () => true };

/**
 * The verdict of the permissions of the call's API token, which bounds whatever else allows the call.
 * @returns undefined for a call without one or with all rights of an administrator, and for an operation that takes no right
 * @throws ApiError `UNAUTHORIZED` if none of its permissions allows the operation
 */
export const boundByToken = (actor: Actor, operation: Operation): PermissionVerdict | undefined => {
  if (actor.kind !== 'token' || actor.apiToken.isAdmin || !takesRight(operation)) return undefined;
  const bound = verdictOn(operation, actor.apiToken);
  if (!bound) throw unauthorized('the API token has no permission to do this');
  return bound;
};

type Holder = Parameters<typeof permissionsOf>[0] & Parameters<typeof scopesOf>[0];

const verdictOn = (operation: Operation, holder: Holder): PermissionVerdict | undefined => {
  const { permission, ofAll, acceptedPermissions } = operation;
  const wanted = permissionsFor({ permission: ofAll ?? permission, ...(acceptedPermissions && { acceptedPermissions }) });
  const verdict = verdictBy(holder, wanted, acceptedPermissions ? [] : wanted);
  const held = permissionsOf(holder);
  const right = acceptedPermissions?.find((name) => name.includes('.'));
  if (verdict === true) return { held, verdict, right, aside: (aside) => asideVerdict(aside, holder) };
  if (verdict === false) return undefined;
  const isOfEnrollments = entityIn(permission) === 'enrollment';
  const limited = limitableKinds(operation, permission);
  const own = isOfEnrollments ? OF_IDENTITIES : verdict;
  // Routers of the fabric carry no role attributes, so none of them is within a scope.
  if (limited.length === 0 || !limited.every((kind) => fits(satisfying(own.where), kind))) return undefined;
  const isOfOwner = ({ about, right = '' }: Aside) => isOfEnrollments && about === 'visibility' && entityIn(right) === 'identity';
  const aside = (aside: Aside) => (isOfOwner(aside) ? verdict : asideVerdict(aside, holder));
  return { held, verdict: own, aside, ...(isOfEnrollments && { owners: verdict }) };
};

/** Enrollments have no role attributes: those of the identities that they belong to count, and those of routers belong to none. */
const OF_IDENTITIES: LimitedVerdict = { where: 'identity != null' };

/**
 * The verdict of any of some permissions: everything if it holds one for all entities, otherwise what lies within the union of its
 * scopes.
 */
const verdictBy = (holder: Holder, unscoped: readonly string[], scoped: readonly string[]): boolean | LimitedVerdict => {
  if (unscoped.some((name) => permissionsOf(holder).includes(name))) return true;
  const scopes = scopesOf(holder);
  const applicable = scoped.flatMap((name) => scopes[name] ?? []);
  if (applicable.length === 0) return false;
  const within = applicable.flatMap(({ roleAttributes }) => roleAttributes);
  const assignable = new Set([...within, ...applicable.flatMap(({ assignableRoleAttributes }) => assignableRoleAttributes ?? [])]);
  return { where: filter`anyOf(roleAttributes) in ${within}`, roleAttributes: (attribute) => assignable.has(attribute) };
};

/**
 * A holder of scoped permissions on a kind sees of it only what lies within, wherever it is shown. Credentials are shown with a right to
 * create or update the entities, never with a right to read. Who holds none may not see the kind, where that matters (`Operation.shows`).
 */
const asideVerdict = ({ about, right = '' }: Aside, holder: Holder): Verdict => {
  const entity = entityIn(right);
  if (about === 'credentials') return verdictBy(holder, [right, entity], [right, entity]);
  const scoped = Object.keys(scopesOf(holder)).filter((name) => entityIn(name) === entity);
  return verdictBy(holder, permissionsFor({ permission: `${entity}.read` }), scoped);
};
