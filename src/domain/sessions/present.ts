import { apiSession } from '../../api/sessions.ts';
import type { Call } from '../../call/call.ts';
import type { SessionActor } from '../../call/actor.ts';
import { behaviour } from '../../resources/behaviours.ts';
import type { Entities } from '../../changes/entities.ts';
import { presentOne } from '../../resources/present.ts';
import { expiry } from './state.ts';

/** As administrators see it: the token's place is taken by the session's id, which opens nothing. */
export const sessionBehaviour = behaviour(apiSession, {
  present: async (_entities, rows) => rows.map((row) => ({ token: row.id, authQueries: [], cachedLastActivityAt: row.lastActivityAt })),
});

/** As its owner sees it: with the token that was presented, what is still owed, and when it ends. */
export const presentOwnSession = async (entities: Entities, { session, authQueries, token }: Pick<SessionActor, 'session' | 'authQueries' | 'token'>, call: Call) => {
  const detail = await presentOne(entities, apiSession, sessionBehaviour, session, call);
  return { ...detail, token, authQueries: [...authQueries], ...expiry(call.core.settings, session.lastActivityAt ?? call.now()) };
};
