import { apiSession } from '../api/api-sessions.ts';
import { authPolicy } from '../api/auth-policies.ts';
import { identity } from '../api/identities.ts';
import type { RowOf } from '../api/kit/resource.ts';
import type { Activity } from '../call/activity.ts';
import type { Actor, ApiSessionActor, IdentityActor, TokenProof } from '../call/actor.ts';
import type { Call } from '../call/call.ts';
import type { Settings } from '../call/settings.ts';
import type { Entities } from '../changes/entities.ts';
import { unauthorized } from '../errors/index.ts';
import { hashToken, isOpaqueToken } from '../tokens/opaque.ts';
import { owedCode, owedToken } from './factors.ts';
import { idleSince } from './lifetime.ts';

type ApiSession = RowOf<typeof apiSession>;
type Identity = RowOf<typeof identity>;

/**
 * The actor of a token, in the state of this transaction: its API session exists and has not expired, and its identity exists and is not
 * disabled. Undefined in all other cases, without a reason.
 */
export const actorOfToken = async (
  entities: Entities,
  settings: Settings,
  token: string,
  now: string,
  activity: Pick<Activity, 'current'>,
): Promise<ApiSessionActor | undefined> => {
  if (!isOpaqueToken(token)) return undefined;
  const session = await entities.recall(apiSession, 'tokenHash', hashToken(token));
  if (!session) return undefined;
  const recalled = activity.current(session);
  // Another controller may have noted activity that the row in memory does not have.
  const current = isIdle(settings, recalled, now) ? await entities.get(apiSession, session.id) : recalled;
  return current && actorOfApiSession(entities, settings, current, token, now);
};

/** Like `actorOfToken`, for an API session that has been read already. */
export const actorOfApiSession = async (
  entities: Entities,
  settings: Settings,
  session: ApiSession,
  token: string,
  now: string,
  proofs: readonly TokenProof[] = [],
): Promise<ApiSessionActor | undefined> => {
  if (isIdle(settings, session, now)) return undefined;
  const owner = await entities.get(identity, session.identityId);
  if (!owner || isDisabled(owner, now)) return undefined;
  return apiSessionActor(entities, session, owner, token, proofs);
};

/**
 * The actor of a call by the state of this transaction: a right may be lost between the start of a call and its write, and what counts is what the write sees.
 * @throws ApiError `UNAUTHORIZED` if its session has ended, or its identity is disabled
 */
export const currentActor = async (entities: Entities, call: Pick<Call, 'actor' | 'core' | 'now'>): Promise<Actor> => {
  const { actor } = call;
  if (actor.kind === 'identity') return actingIdentity(entities, actor.identity.id, call.now());
  if (actor.kind !== 'session') return actor;
  const session = await entities.get(apiSession, actor.session.id);
  const { settings, activity } = call.core;
  const current =
    session && (await actorOfApiSession(entities, settings, activity.current(session), actor.token, call.now(), actor.proofs));
  if (!current) throw unauthorized();
  return current;
};

/** A session's actor, with what it owes now. */
export const apiSessionActor = async (
  entities: Entities,
  session: ApiSession,
  owner: Identity,
  token: string,
  proofs: readonly TokenProof[] = [],
): Promise<ApiSessionActor> => {
  const policy = await entities.get(authPolicy, owner.authPolicyId);
  const authQueries = policy ? [...owedCode(session, policy), ...(await owedToken(entities, owner, policy, proofs))] : [];
  return { kind: 'session', session, identity: owner, authQueries, token, proofs };
};

/**
 * An identity for which the host acts, judged by the state of this transaction.
 * @throws ApiError `NOT_FOUND` for an unknown id, `UNAUTHORIZED` while it is disabled
 */
export const actingIdentity = async (entities: Entities, id: string, now: string): Promise<IdentityActor> => {
  const owner = await entities.require(identity, id);
  if (isDisabled(owner, now)) throw unauthorized(`identity ${id} is disabled`);
  return { kind: 'identity', identity: owner };
};

const isIdle = (settings: Settings, { lastActivityAt }: ApiSession, now: string): boolean =>
  (lastActivityAt ?? '') <= idleSince(settings, now);

export const isDisabled = (row: Pick<Identity, 'disabledAt' | 'disabledUntil'>, now: string): boolean =>
  row.disabledAt !== null && (row.disabledUntil === null || row.disabledUntil > now);
