import type { AuthQuery, apiSession } from '../api/api-sessions.ts';
import type { apiToken } from '../api/api-tokens.ts';
import type { externalJwtSigner } from '../api/external-jwt-signers.ts';
import type { identity } from '../api/identities.ts';
import type { RowOf } from '../api/kit/resource.ts';
import { AUDITOR, permissionBeyond, permissionsBeyond, type Rights, type ScopedPermissions } from '../api/permissions.ts';
import { unauthorized } from '../errors/index.ts';
import type { Certificate } from '../pki/certificate.ts';
import { booleanField, equals, or, type Predicate } from '../query/index.ts';
import type { Claims } from '../tokens/token.ts';

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

/** A program that calls with an API token. It may do what both the token and its identity may do. */
export interface ApiTokenActor {
  readonly kind: 'token';
  readonly apiToken: RowOf<typeof apiToken>;
  /** SHA-256 of the token that was presented: its secret may end during the call. */
  readonly presentedHash: string;
  /** The identity as it is stored, but an administrator only if the token has all rights of one. */
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

/** The name of an actor in change records. */
export const actorId = (actor: Actor): string => ('identity' in actor ? actor.identity.id : actor.kind);

/** The id of the API token of a call; undefined if it has none. */
export const apiTokenIdOf = (actor: Actor): string | undefined => (actor.kind === 'token' ? actor.apiToken.id : undefined);

export const isAdministrator = (actor: Actor): boolean =>
  actor.kind === 'system' || ('identity' in actor && hasAdministratorRights(actor.identity));

/**
 * True in a session that has reached services: routers know its token, and must not be able to use the rights of its identity. It keeps what is about its own
 * services only.
 */
export const isKnownToRouters = (actor: Actor): boolean => actor.kind === 'session' && actor.session.isKnownToRouters === true;

/** True for an API token whose permissions allow nothing but reading: nothing else gives its calls more. */
export const isLimitedToReading = (actor: Actor): boolean =>
  actor.kind === 'token' &&
  !actor.apiToken.isAdmin &&
  [...permissionsOf(actor.apiToken), ...Object.keys(scopesOf(actor.apiToken))].every((name) => name === AUDITOR || name.endsWith('.read'));

/** The permissions that an identity holds. Rows that an earlier release wrote have none. */
export const permissionsOf = ({ permissions }: { readonly permissions?: readonly string[] }): readonly string[] => permissions ?? [];

/** The actor's identity. @throws ApiError `UNAUTHORIZED` for the host's own code, which has no identity */
export const identityOf = (actor: Actor): RowOf<typeof identity> => identified(actor).identity;

/** The actor of an operation that is about its own identity, in a session or without one. @throws as `identityOf` */
export const identified = (actor: Actor): ApiSessionActor | IdentityActor | ApiTokenActor => {
  if (!('identity' in actor)) throw unauthorized('this operation is about the identity of the call, and there is none');
  return actor;
};

/** The actor of an operation that is about its session. @throws ApiError `UNAUTHORIZED` for a call in process that has none */
export const apiSessionOf = (actor: Actor): ApiSessionActor => {
  if (actor.kind !== 'session') throw unauthorized('this operation is about the session of the call, and there is none');
  return actor;
};

/** Identities that are administrators. */
export const ADMINISTRATORS: Predicate = or(equals(booleanField('isAdmin'), true), equals(booleanField('isDefaultAdmin'), true));

/** True if an identity is an administrator. */
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

/** True for the host's own code, and for an identity with any right. */
export const hasRights = (actor: Actor): boolean =>
  actor.kind === 'system' || ('identity' in actor && isPrivileged(actor.kind === 'token' ? actor.owner : actor.identity));

/** True if an identity gets a right that it did not have. */
export const gainsRights = (before: Privileges, after: Privileges): boolean =>
  !hasAdministratorRights(before) &&
  (hasAdministratorRights(after) || permissionBeyond(rightsHeldBy(before), rightsHeldBy(after)) !== undefined);

/**
 * Identities that are out of reach for a holder of these permissions: administrators, and holders of a permission, scoped or not, that these do not include.
 */
export const protectedFrom = (held: readonly string[]): Predicate => {
  const values = permissionsBeyond(held);
  return or(ADMINISTRATORS, { op: 'overlaps', set: 'permissions', values }, { op: 'overlaps', set: 'scopedPermissionNames', values });
};

/** The same for one identity. */
export const isProtectedFrom = (held: readonly string[], owner: Privileges): boolean => {
  const beyond = permissionsBeyond(held);
  return hasAdministratorRights(owner) || [...permissionsOf(owner), ...Object.keys(scopesOf(owner))].some((name) => beyond.includes(name));
};
