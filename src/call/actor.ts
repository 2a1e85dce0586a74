import type { AuthQuery, apiSession } from '../contract/api/api-sessions.ts';
import type { apiToken } from '../contract/api/api-tokens.ts';
import type { externalJwtSigner } from '../contract/api/external-jwt-signers.ts';
import { firstMissing, missingPermissions, type Rights } from '../contract/api/held-permissions.ts';
import type { identity } from '../contract/api/identities.ts';
import type { RowOf } from '../contract/api/kit/resource.ts';
import type { ScopedPermissions } from '../contract/api/permission-scopes.ts';
import { AUDITOR } from '../contract/api/permissions.ts';
import { unauthorized } from '../contract/errors/index.ts';
import type { Certificate } from '../crypto/pki/certificate.ts';
import type { Claims } from '../crypto/tokens/token.ts';
import { booleanField, equals, or, type Predicate } from '../query/index.ts';
import type { ActorKind } from '../runtime/observability/events.ts';

/** The caller. */
export type Actor =
  | { readonly kind: 'anonymous' }
  /** The host's own code, with every right. */
  | { readonly kind: 'system' }
  | IdentityActor
  | ApiSessionActor
  | ApiTokenActor;

/** An identity that the host vouches for: the caller has its rights, and needs neither a session nor a second factor. */
export interface IdentityActor {
  readonly kind: 'identity';
  readonly identity: RowOf<typeof identity>;
}

export interface ApiSessionActor {
  readonly kind: 'session';
  readonly session: RowOf<typeof apiSession>;
  readonly identity: RowOf<typeof identity>;
  /** The factors that the session owes before it is fully authenticated; empty if none. */
  readonly authQueries: readonly AuthQuery[];
  /** The token that was presented. Stores keep its hash; once the session reaches a service, also the token itself, sealed. */
  readonly token: string;
  /** The content of the token, if the OpenID provider issued it. */
  readonly presented?: PresentedToken | undefined;
  /** The external tokens of this request that have been verified so far. */
  readonly proofs: readonly TokenProof[];
}

/** A program that presents an API token. Its rights are those that the token and its identity have in common. */
export interface ApiTokenActor {
  readonly kind: 'token';
  readonly apiToken: RowOf<typeof apiToken>;
  /** SHA-256 of the token that was presented: the token may be rotated during the call. */
  readonly presentedHash: string;
  /** The identity as it is stored, except that it is an administrator only if the token has all rights of one. */
  readonly identity: RowOf<typeof identity>;
  /** The identity as it is stored. */
  readonly owner: RowOf<typeof identity>;
}

/** A token of the OpenID provider, with a valid signature. */
export interface PresentedToken {
  readonly text: string;
  /** Claim `jti`. */
  readonly id: string;
  /** Claim `z_asid`. */
  readonly sessionId: string;
  /** Id of the identity. */
  readonly subject: string;
  /** Seconds since 1970. */
  readonly iat: number;
  /** Seconds since 1970. */
  readonly exp: number;
  readonly claims: Claims;
  /** True if it was the only token of the request. */
  readonly isAlone?: boolean;
  /** The client's TLS certificate, if the token is bound to one. */
  readonly certificate?: Certificate | undefined;
}

/** An external token that was checked against its signer. */
export interface TokenProof {
  /** The signer as it was at that time. */
  readonly signer: RowOf<typeof externalJwtSigner>;
  /** The bearer's id at the signer. */
  readonly subject: string;
}

/** The kind of an actor as observers see it, and the id of its identity. */
export const observedActor = (actor: Actor): readonly [kind: ActorKind, identityId?: string] => {
  if (!('identity' in actor)) return [actor.kind];
  return [isAdministrator(actor) ? 'administrator' : 'identity', actor.identity.id];
};

/** The name of an actor in change records: the id of its identity or, without one, its kind. */
export const actorId = (actor: Actor): string => ('identity' in actor ? actor.identity.id : actor.kind);

/** The id of the API token of a call; undefined if it has none. */
export const apiTokenIdOf = (actor: Actor): string | undefined => (actor.kind === 'token' ? actor.apiToken.id : undefined);

export const isAdministrator = (actor: Actor): boolean =>
  actor.kind === 'system' || ('identity' in actor && hasAdministratorRights(actor.identity));

/**
 * True for a session that has dialed or bound services: routers know its token, and must not be able to use the rights of its identity with
 * it. Such a session can only use operations on its own services.
 */
export const isKnownToRouters = (actor: Actor): boolean => actor.kind === 'session' && actor.session.isKnownToRouters === true;

/** True for an API token that has only read permissions. */
export const isLimitedToReading = (actor: Actor): boolean =>
  actor.kind === 'token' &&
  !actor.apiToken.isAdmin &&
  [...permissionsOf(actor.apiToken), ...Object.keys(scopesOf(actor.apiToken))].every((name) => name === AUDITOR || name.endsWith('.read'));

/** The permissions that an identity holds for all entities. Rows of earlier releases have none. */
export const permissionsOf = ({ permissions }: { readonly permissions?: readonly string[] }): readonly string[] => permissions ?? [];

/**
 * The actor's identity.
 * @throws ApiError `UNAUTHORIZED` for the host's own code, which has no identity
 */
export const identityOf = (actor: Actor): RowOf<typeof identity> => identified(actor).identity;

/**
 * The actor of an operation on its own identity, in a session or without one.
 * @throws as `identityOf`
 */
export const identified = (actor: Actor): ApiSessionActor | IdentityActor | ApiTokenActor => {
  if (!('identity' in actor)) throw unauthorized('this operation requires a caller with an identity');
  return actor;
};

/**
 * The actor of an operation on its own session.
 * @throws ApiError `UNAUTHORIZED` for a call in process, which has none
 */
export const apiSessionOf = (actor: Actor): ApiSessionActor => {
  if (actor.kind !== 'session') throw unauthorized('this operation requires an API session');
  return actor;
};

/** Identities that are administrators. */
export const ADMINISTRATORS: Predicate = or(equals(booleanField('isAdmin'), true), equals(booleanField('isDefaultAdmin'), true));

/** True if an identity is an administrator, whoever calls. */
export const hasAdministratorRights = ({ isAdmin, isDefaultAdmin }: Pick<RowOf<typeof identity>, 'isAdmin' | 'isDefaultAdmin'>): boolean =>
  isAdmin || isDefaultAdmin;

type Privileges = Pick<RowOf<typeof identity>, 'isAdmin' | 'isDefaultAdmin'> &
  Partial<Pick<RowOf<typeof identity>, 'permissions' | 'scopedPermissions'>>;

/** The scope of each permission that an identity holds for some entities only. */
export const scopesOf = ({ scopedPermissions }: Pick<Privileges, 'scopedPermissions'>): ScopedPermissions => scopedPermissions ?? {};

/** The permissions of an identity or of an API token, scoped or not. */
export const rightsHeldBy = (holder: Pick<Privileges, 'permissions' | 'scopedPermissions'>): Rights => ({
  permissions: permissionsOf(holder),
  scopedPermissions: scopesOf(holder),
});

/** True for an administrator, and for an identity with permissions. */
export const isPrivileged = (owner: Privileges): boolean =>
  hasAdministratorRights(owner) || permissionsOf(owner).length > 0 || Object.keys(scopesOf(owner)).length > 0;

/** True for the host's own code, and for an identity that is an administrator or holds a permission. */
export const hasRights = (actor: Actor): boolean =>
  actor.kind === 'system' || ('identity' in actor && isPrivileged(actor.kind === 'token' ? actor.owner : actor.identity));

/** True if an identity gets a right that it did not have. */
export const gainsRights = (before: Privileges, after: Privileges): boolean =>
  !hasAdministratorRights(before) &&
  (hasAdministratorRights(after) || firstMissing(rightsHeldBy(before), rightsHeldBy(after)) !== undefined);

/**
 * Selects the identities that a holder of these permissions must not affect: administrators, and holders of other permissions, scoped or
 * not.
 */
export const protectedFrom = (held: readonly string[]): Predicate => {
  const values = missingPermissions(held);
  return or(ADMINISTRATORS, { op: 'overlaps', set: 'permissions', values }, { op: 'overlaps', set: 'scopedPermissionNames', values });
};

/** True if `protectedFrom` selects this identity. */
export const isProtectedFrom = (held: readonly string[], owner: Privileges): boolean => {
  const missing = missingPermissions(held);
  return hasAdministratorRights(owner) || [...permissionsOf(owner), ...Object.keys(scopesOf(owner))].some((name) => missing.includes(name));
};
