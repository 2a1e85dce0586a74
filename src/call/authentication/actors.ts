import { apiSession, apiToken, authPolicy, identity } from '../../contract/api/kinds.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import { unauthorized } from '../../contract/errors/index.ts';
import { hashToken, isOpaqueToken } from '../../crypto/tokens/opaque.ts';
import type { Entities } from '../../store/entities/entities.ts';
import type { Actor, ApiSessionActor, ApiTokenActor, IdentityActor, PresentedToken, TokenProof } from '../actor.ts';
import type { Call } from '../call.ts';
import type { Core } from '../core.ts';
import { fromApiToken, isAccepted } from './api-tokens.ts';
import { holdsCertificate, sessionOfToken } from './bearer.ts';
import { owedFactors } from './factors.ts';
import { hasEnded } from './lifetime.ts';

type ApiSession = RowOf<typeof apiSession>;
type Identity = RowOf<typeof identity>;
type Presenting = Pick<Call, 'remoteAddress' | 'now'>;

/**
 * The actor of a token, in the state of this transaction: its API session exists and has not expired, and its identity exists and is not
 * disabled. Undefined in all other cases, without a reason.
 */
export const actorOfToken = async (
  entities: Entities,
  core: Pick<Core, 'settings' | 'activity'>,
  token: string,
  now: string,
): Promise<ApiSessionActor | undefined> => {
  if (!isOpaqueToken(token)) return undefined;
  const session = await entities.getBy(apiSession, 'tokenHash', hashToken(token));
  return session && actorOfApiSession(entities, core, session, token, now);
};

/** Like `actorOfToken`, but for an API session that has already been read, maybe from the cache. */
export const actorOfApiSession = async (
  entities: Entities,
  { settings, activity }: Pick<Core, 'settings' | 'activity'>,
  cached: ApiSession,
  token: string,
  now: string,
  proofs: readonly TokenProof[] = [],
): Promise<ApiSessionActor | undefined> => {
  let session = cached;
  if (hasEnded(settings, { endsAt: cached.endsAt, lastActivityAt: activity.lastOf(cached) }, now)) {
    // The cached row may lack activity that another controller has recorded.
    const stored = await entities.get(apiSession, cached.id);
    if (!stored || hasEnded(settings, stored, now)) return undefined;
    session = stored;
  }
  const owner = await entities.get(identity, session.identityId);
  if (!owner || isDisabled(owner, now)) return undefined;
  return apiSessionActor(entities, session, owner, token, proofs);
};

/**
 * The actor of one of the provider's access tokens, in the state of this transaction: the token is neither spent nor revoked, it was
 * presented with the certificate that it is bound to, and its session and identity meet the requirements of `actorOfApiSession`.
 */
export const actorOfPresented = async (
  entities: Entities,
  core: Pick<Core, 'settings' | 'activity' | 'provider' | 'platform'>,
  presented: PresentedToken,
  now: string,
  proofs: readonly TokenProof[] = [],
): Promise<ApiSessionActor | undefined> => {
  const session = await sessionOfToken(entities, presented);
  const actor = session && (await actorOfApiSession(entities, core, session, presented.text, now, proofs));
  if (!actor) return undefined;
  const policy = session.bearer?.certificate ? await entities.get(authPolicy, actor.identity.authPolicyId) : undefined;
  return (await holdsCertificate(entities, session, presented, core, policy)) ? { ...actor, presented } : undefined;
};

/**
 * The actor of an API token, in the state of this transaction: the token exists, has not expired and accepts the client's address, and its
 * identity is not disabled. Undefined in all other cases, without a reason.
 */
export const actorOfApiToken = (entities: Entities, call: Presenting, text: string): Promise<ApiTokenActor | undefined> =>
  fromApiToken(entities, text, (row, hash) => actorOfStoredToken(entities, call, row, hash));

const actorOfStoredToken = async (
  entities: Entities,
  call: Presenting,
  row: RowOf<typeof apiToken> | undefined,
  presentedHash: string,
): Promise<ApiTokenActor | undefined> => {
  const owner = row && isAccepted(row, presentedHash, call) ? await entities.get(identity, row.identityId) : undefined;
  if (!row || !owner || isDisabled(owner, call.now())) return undefined;
  const { isAdmin, isDefaultAdmin } = owner;
  const limited = { ...owner, isAdmin: isAdmin && row.isAdmin, isDefaultAdmin: isDefaultAdmin && row.isAdmin };
  return { kind: 'token', apiToken: row, presentedHash, owner, identity: limited };
};

/**
 * The actor of a call, in the state of this transaction. A right may be lost between the start of a call and its write; the state at the
 * write decides.
 * @throws ApiError `UNAUTHORIZED` if its session has ended, or its identity is disabled
 */
export const currentActor = async (entities: Entities, call: Presenting & Pick<Call, 'actor' | 'core'>): Promise<Actor> => {
  const { actor } = call;
  if (actor.kind === 'identity') return actingIdentity(entities, actor.identity.id, call.now());
  if (actor.kind === 'anonymous' || actor.kind === 'system') return actor;
  const current =
    actor.kind === 'token'
      ? await actorOfStoredToken(entities, call, await entities.get(apiToken, actor.apiToken.id, { allowStale: true }), actor.presentedHash)
      : actor.presented
        ? await actorOfPresented(entities, call.core, actor.presented, call.now(), actor.proofs)
        : await currentSessionActor(entities, call, actor);
  if (!current) throw unauthorized();
  return current;
};

/** A session's actor, with the factors that it currently owes. */
export const apiSessionActor = async (
  entities: Entities,
  session: ApiSession,
  owner: Identity,
  token: string,
  proofs: readonly TokenProof[] = [],
): Promise<ApiSessionActor> => {
  const policy = await entities.get(authPolicy, owner.authPolicyId);
  const authQueries = policy ? await owedFactors(entities, session, owner, policy, proofs) : [];
  return { kind: 'session', session, identity: owner, authQueries, token, proofs };
};

/**
 * The identity on whose behalf the host acts, in the state of this transaction.
 * @throws ApiError `NOT_FOUND` for an unknown id, `UNAUTHORIZED` if the identity is disabled
 */
export const actingIdentity = async (entities: Entities, id: string, now: string): Promise<IdentityActor> => {
  const owner = await entities.require(identity, id);
  if (isDisabled(owner, now)) throw unauthorized(`identity ${id} is disabled`);
  return { kind: 'identity', identity: owner };
};

const currentSessionActor = async (
  entities: Entities,
  call: Pick<Call, 'core' | 'now'>,
  { session: { id }, token, proofs }: ApiSessionActor,
): Promise<ApiSessionActor | undefined> => {
  const session = await entities.get(apiSession, id, { allowStale: true });
  return session && actorOfApiSession(entities, call.core, session, token, call.now(), proofs);
};

export const isDisabled = (row: Pick<Identity, 'disabledAt' | 'disabledUntil'>, now: string): boolean =>
  row.disabledAt !== null && (row.disabledUntil === null || row.disabledUntil > now);
