import { apiToken } from '../../contract/api/kinds.ts';
import type { Operation } from '../../contract/api/kit/operation.ts';
import { surfaces } from '../../contract/api/surfaces/index.ts';
import type { Credentials } from '../../contract/api/surfaces/session-rule.ts';
import { unauthorized } from '../../contract/errors/index.ts';
import { withSubcode } from '../../contract/errors/subcode.ts';
import { isApiToken } from '../../contract/wire/api-token.ts';
import type { Actor, PresentedToken } from '../actor.ts';
import { actingIdentity, actorOfApiToken, actorOfPresented, actorOfToken } from '../authentication/actors.ts';
import { presentsOnlyForeign } from '../authentication/bearer.ts';
import { withSecondFactor } from '../authentication/factors.ts';
import { expiry, needsTouch } from '../authentication/lifetime.ts';
import type { Call } from '../call.ts';

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
export const authenticate = (
  call: UnauthenticatedCall,
  operation: Operation,
  presented: PresentedToken | undefined,
): Caller | Promise<Caller> => {
  const { credentials } = call;
  if (credentials.kind === 'system') return SYSTEM;
  if (credentials.kind === 'identity') return authenticateIdentity(call, credentials.id);
  return operation.permission === 'open' ? ANONYMOUS : authenticateToken(call, credentials, presented);
};

const SYSTEM: Caller = Object.freeze({ actor: Object.freeze({ kind: 'system' }) });
const ANONYMOUS: Caller = Object.freeze({ actor: Object.freeze({ kind: 'anonymous' }) });

const authenticateIdentity = async (call: UnauthenticatedCall, id: string): Promise<Caller> => ({
  actor: await call.read((entities) => actingIdentity(entities, id, call.now())),
});

const authenticateToken = async (
  call: UnauthenticatedCall,
  credentials: Extract<Credentials, { readonly kind: 'token' | 'none' }>,
  presented: PresentedToken | undefined,
): Promise<Caller> => {
  const { core } = call;
  const now = call.now();
  if (presented) {
    const sessionActor = await call.read((entities) => actorOfPresented(entities, core, presented, now));
    if (!sessionActor) throw unauthorized();
    const secondsLeft = Math.max(0, presented.exp - Math.floor(Date.parse(now) / 1000));
    call.answerHeaders.set('expiration-seconds', String(secondsLeft)).set('expires-at', new Date(presented.exp * 1000).toISOString());
    return { actor: await withSecondFactor(call, sessionActor) };
  }
  if (credentials.kind === 'none' || credentials.token === undefined)
    throw credentials.kind === 'token' && !presentsOnlyForeign(call)
      ? unauthorized()
      : withSubcode(unauthorized('no session token was presented: send the header zt-session'), 'TOKEN_MISSING');
  const { token } = credentials;
  if (isApiToken(token)) return authenticateProgram(call, token);
  const sessionActor = await call.read((entities) => actorOfToken(entities, core, token, now));
  if (!sessionActor) throw unauthorized();
  const actor = sessionActor.authQueries.length === 0 ? sessionActor : await withSecondFactor(call, sessionActor);
  const { expirationSeconds, expiresAt } = expiry(core.settings, now);
  call.answerHeaders.set('expiration-seconds', String(expirationSeconds)).set('expires-at', expiresAt);
  return needsTouch(core, actor.session, now) ? { actor, active: actor.session } : { actor };
};

/**
 * Determines the actor of an API token. Devices have sessions: the client API accepts no API tokens.
 * @throws ApiError `UNAUTHORIZED`, without a reason
 */
const authenticateProgram = async (call: UnauthenticatedCall, token: string): Promise<Caller> => {
  const actor = call.surface === surfaces.client ? undefined : await call.read((entities) => actorOfApiToken(entities, call, token));
  if (!actor) throw unauthorized();
  const { id, expiresAt } = actor.apiToken;
  const now = call.now();
  const secondsLeft = Math.floor((Date.parse(expiresAt) - Date.parse(now)) / 1000);
  call.answerHeaders.set('expiration-seconds', String(secondsLeft)).set('expires-at', expiresAt);
  const { activity } = call.core;
  const isStored = activity.lastOf(actor.apiToken) !== null && !needsTouch(call.core, actor.apiToken, now);
  return { actor, ...(isStored ? {} : { active: { id, kind: apiToken.kind } }) };
};
