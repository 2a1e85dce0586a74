import { apiToken } from '../api/kinds.ts';
import type { Operation } from '../api/kit/operation.ts';
import { surfaces } from '../api/surfaces/index.ts';
import { NO_SESSION_TOKEN } from '../api/surfaces/session-rule.ts';
import { actingIdentity, actorOfApiToken, actorOfPresented, actorOfToken } from '../authentication/actors.ts';
import { presentsOnlyForeign } from '../authentication/bearer.ts';
import { withSecondFactor } from '../authentication/factors.ts';
import { expiry, needsTouch } from '../authentication/lifetime.ts';
import type { Actor, PresentedToken } from '../call/actor.ts';
import type { Call } from '../call/call.ts';
import { unauthorized } from '../errors/index.ts';
import { isApiToken } from '../wire/api-token.ts';

type UnauthenticatedCall = Omit<Call, 'actor'>;

export interface Caller {
  readonly actor: Actor;
  /** The session or API token whose activity must be stored after the call; undefined if it was stored recently. */
  readonly active?: { readonly id: string; readonly kind?: string };
}

/**
 * Determines the actor. Open operations ignore tokens, so that a stale one does no harm there.
 * @param presented the access token of the OpenID provider, if the call has one
 * @throws ApiError `UNAUTHORIZED`: with a cause if no credential was presented, without one if the credential is invalid
 */
export const authenticate = async (
  call: UnauthenticatedCall,
  operation: Operation,
  presented: PresentedToken | undefined,
): Promise<Caller> => {
  const { credentials, core } = call;
  if (credentials.kind === 'system') return { actor: { kind: 'system' } };
  if (credentials.kind === 'identity')
    return { actor: await call.read((entities) => actingIdentity(entities, credentials.id, call.now())) };
  if (operation.permission === 'open') return { actor: { kind: 'anonymous' } };
  const now = call.now();
  if (presented) {
    const sessionActor = await call.read((entities) => actorOfPresented(entities, core, presented, now));
    if (!sessionActor) throw unauthorized();
    const secondsLeft = Math.max(0, presented.exp - Math.floor(Date.parse(now) / 1000));
    call.answerHeaders.set('expiration-seconds', String(secondsLeft)).set('expires-at', new Date(presented.exp * 1000).toISOString());
    return { actor: await withSecondFactor(call, sessionActor) };
  }
  if (credentials.kind === 'none' || credentials.token === undefined)
    throw credentials.kind === 'token' && !presentsOnlyForeign(call) ? unauthorized() : unauthorized(NO_SESSION_TOKEN);
  const { token } = credentials;
  if (isApiToken(token)) return authenticateProgram(call, token);
  const sessionActor = await call.read((entities) => actorOfToken(entities, core.settings, token, now, core.activity));
  if (!sessionActor) throw unauthorized();
  const actor = sessionActor.authQueries.length === 0 ? sessionActor : await withSecondFactor(call, sessionActor);
  const { expirationSeconds, expiresAt } = expiry(core.settings, now);
  call.answerHeaders.set('expiration-seconds', String(expirationSeconds)).set('expires-at', expiresAt);
  const session = { ...actor.session, lastActivityAt: now };
  return { actor: { ...actor, session }, ...(needsTouch(core.settings, actor.session, now) ? { active: session } : {}) };
};

/** Determines the actor of an API token. Devices have sessions: the client API accepts no API tokens. @throws ApiError `UNAUTHORIZED`, without a reason */
const authenticateProgram = async (call: UnauthenticatedCall, token: string): Promise<Caller> => {
  const actor = call.surface === surfaces.client ? undefined : await call.read((entities) => actorOfApiToken(entities, call, token));
  if (!actor) throw unauthorized();
  const { id, expiresAt } = actor.apiToken;
  const now = call.now();
  const secondsLeft = Math.floor((Date.parse(expiresAt) - Date.parse(now)) / 1000);
  call.answerHeaders.set('expiration-seconds', String(secondsLeft)).set('expires-at', expiresAt);
  const { activity, settings } = call.core;
  const latest = activity.current(actor.apiToken);
  const isStored = latest.lastActivityAt !== null && !needsTouch(settings, latest, now);
  return { actor, ...(isStored ? {} : { active: { id, kind: apiToken.kind } }) };
};
