import type { AuthQuery, apiSession } from '../api/api-sessions.ts';
import type { externalJwtSigner } from '../api/external-jwt-signers.ts';
import type { identity } from '../api/identities.ts';
import type { RowOf } from '../api/kit/resource.ts';
import { unauthorized } from '../errors/index.ts';

/** Who calls. */
export type Actor =
  | { readonly kind: 'anonymous' }
  /** The host's own code, with every right. */
  | { readonly kind: 'system' }
  | ApiSessionActor;

export interface ApiSessionActor {
  readonly kind: 'session';
  readonly session: RowOf<typeof apiSession>;
  readonly identity: RowOf<typeof identity>;
  /** The factors that the session owes before it is fully authenticated; empty if none. */
  readonly authQueries: readonly AuthQuery[];
  /** The token that was presented. It is stored nowhere. */
  readonly token: string;
  /** External tokens of this request that were verified so far. */
  readonly proofs: readonly TokenProof[];
}

/** An external token that was checked against its signer. */
export interface TokenProof {
  /** As it was then. */
  readonly signer: RowOf<typeof externalJwtSigner>;
  /** Who the bearer is, in the signer's words. */
  readonly subject: string;
}

/** How an actor is named in change records. */
export const actorId = (actor: Actor): string => (actor.kind === 'session' ? actor.identity.id : actor.kind);

export const isAdministrator = (actor: Actor): boolean =>
  actor.kind === 'system' || (actor.kind === 'session' && (actor.identity.isAdmin || actor.identity.isDefaultAdmin));

/** The actor of an operation that is about its session. @throws ApiError `UNAUTHORIZED` for the host's own code, which has none */
export const apiSessionOf = (actor: Actor): ApiSessionActor => {
  if (actor.kind !== 'session') throw unauthorized('this operation is about the session of the call, and there is none');
  return actor;
};
