/** The userinfo and introspection endpoints. */

import { hasAdministratorRights } from '../../call/actor.ts';
import { actorOfPresented, isDisabled } from '../../call/authentication/actors.ts';
import { isOver, presentedToken, sessionOfToken, tokenIn } from '../../call/authentication/bearer.ts';
import type { Call } from '../../call/call.ts';
import { identity } from '../../contract/api/identities.ts';
import type { TokenParameters } from '../../contract/api/oidc-schemas.ts';
import { unauthorized } from '../../contract/errors/index.ts';
import { basicClientOf } from './clients.ts';
import { providerOf, reachedIssuer } from './provider.ts';

/** @throws ApiError `UNAUTHORIZED` unless the token is an active access token of this issuer; it may belong to any client */
export const userinfoOf = async (call: Call) => {
  const issuer = await reachedIssuer(call);
  const presented = await presentedToken(call, false);
  if (presented?.claims.iss !== issuer) throw unauthorized();
  const actor = await call.read((entities) => actorOfPresented(entities, call.core, presented, call.now()));
  if (!actor) throw unauthorized();
  const { id, name, externalId } = actor.identity;
  return { sub: id, name, z_ia: hasAdministratorRights(actor.identity), ...(externalId ? { z_eid: externalId } : {}) };
};

const INACTIVE = { active: false } as const;

/** A client may introspect its own tokens only (RFC 7662, section 4). */
export const introspect = async (call: Call, form: TokenParameters) => {
  await reachedIssuer(call);
  const client = basicClientOf(call);
  const text = form.token ?? '';
  const claims = await providerOf(call).keys.verify(text);
  const access = claims && tokenIn(text, claims, 'a');
  const token = access ?? (claims && tokenIn(text, claims, 'r'));
  if (!token || token.claims.client_id !== client.id || isOver(token, call)) return INACTIVE;
  const owner = await call.read(async (entities) => {
    const session = await sessionOfToken(entities, token);
    const row = session && (await entities.get(identity, session.identityId));
    return row && !isDisabled(row, call.now()) ? row : undefined;
  });
  if (!owner) return INACTIVE;
  const { iss, aud, scopes } = token.claims;
  return {
    active: true,
    sub: owner.id,
    client_id: client.id,
    iss: String(iss),
    aud: [aud].flat().map(String),
    ...(Array.isArray(scopes) ? { scope: scopes.join(' ') } : {}),
    ...(access ? { token_type: 'Bearer' } : {}),
    jti: token.id,
    exp: token.exp,
    iat: token.iat,
    username: owner.name,
  };
};
