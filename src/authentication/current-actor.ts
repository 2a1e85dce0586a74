import { apiSession } from '../api/api-sessions.ts';
import type { Actor, ApiSessionActor } from '../call/actor.ts';
import type { Call } from '../call/call.ts';
import type { Entities } from '../changes/entities.ts';
import { unauthorized } from '../errors/index.ts';
import { actingIdentity, actorOfApiSession, actorOfPresented } from './api-session-actor.ts';

/**
 * The actor of a call by the state of this transaction: a right may be lost between the start of a call and its write, and what counts is what the write sees.
 * @throws ApiError `UNAUTHORIZED` when its session has ended, or its identity is disabled
 */
export const currentActor = async (entities: Entities, call: Pick<Call, 'actor' | 'core' | 'now'>): Promise<Actor> => {
  const { actor } = call;
  if (actor.kind === 'identity') return actingIdentity(entities, actor.identity.id, call.now());
  if (actor.kind !== 'session') return actor;
  const current = actor.presented
    ? await actorOfPresented(entities, call.core, actor.presented, call.now(), actor.proofs)
    : await ofSession(entities, call, actor);
  if (!current) throw unauthorized();
  return current;
};

const ofSession = async (
  entities: Entities,
  call: Pick<Call, 'core' | 'now'>,
  { session: { id }, token, proofs }: ApiSessionActor,
): Promise<ApiSessionActor | undefined> => {
  const session = await entities.get(apiSession, id);
  const { settings, activity } = call.core;
  return session && actorOfApiSession(entities, settings, activity.current(session), token, call.now(), proofs);
};
