import { apiSession } from '../api/api-sessions.ts';
import type { Actor } from '../call/actor.ts';
import type { Call } from '../call/call.ts';
import type { Entities } from '../changes/entities.ts';
import { unauthorized } from '../errors/index.ts';
import { actingIdentity, actorOfApiSession } from './api-session-actor.ts';

/**
 * The actor of a call by the state of this transaction: a right may be lost between the start of a call and its write, and what counts is what the write sees.
 * @throws ApiError `UNAUTHORIZED` when its session has ended, or its identity is disabled
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
