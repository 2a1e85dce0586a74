import { apiSessionsOf, endApiSessions } from '../../call/authentication/api-sessions.ts';
import { tokenIn } from '../../call/authentication/bearer.ts';
import type { Call } from '../../call/call.ts';
import { apiSession, identity } from '../../contract/api/kinds.ts';
import type { EndSessionFields, TokenParameters } from '../../contract/api/oidc-schemas.ts';
import { type HttpOutput, redirect } from '../../contract/api/surfaces/http-output.ts';
import { explained } from '../../contract/errors/index.ts';
import { TEXT_TYPE } from '../../contract/wire/media-types.ts';
import { type Claims, stringClaim } from '../../crypto/tokens/token.ts';
import { endToken, storeRevocation } from '../api-sessions/revocations.ts';
import { clientOf } from './clients.ts';
import { providerOf, reachedIssuer } from './provider.ts';
import { isAllowedAddress, patternsAt, withParameters } from './redirect-uris.ts';
import { hintIn } from './tokens.ts';

const DONE: HttpOutput = { contentType: TEXT_TYPE, body: '' };

/**
 * Revokes an access token, or ends the session of a refresh token (RFC 7009). The response is the same for a text that is not a valid token
 * of this client, because there is nothing to revoke.
 */
export const revokeToken = async (call: Call, form: TokenParameters): Promise<HttpOutput> => {
  await reachedIssuer(call);
  const client = clientOf(call, form.client_id);
  const text = form.token ?? '';
  const claims = await providerOf(call).keys.verify(text);
  if (claims?.client_id !== client.id) return DONE;
  const access = tokenIn(text, claims, 'a');
  const token = access ?? tokenIn(text, claims, 'r');
  if (!token) return DONE;
  await call.write(async (entities) => {
    const session = await entities.get(apiSession, token.sessionId);
    if (!session?.tokenIds?.includes(token.id)) return;
    if (access) {
      await endToken(entities, token.id);
      return storeRevocation(entities, call, { id: token.id, type: 'JTI' });
    }
    await endApiSessions(entities, [session]);
    return storeRevocation(entities, call, { id: session.id, type: 'API_SESSION' });
  });
  return DONE;
};

/**
 * Ends the session of the id token, if any, and redirects to the client's address or the logout page (OpenID Connect RP-Initiated Logout
 * 1.0).
 */
export const endSession = async (call: Call, fields: EndSessionFields): Promise<HttpOutput> => {
  const issuer = await reachedIssuer(call);
  const { id_token_hint: hint, post_logout_redirect_uri: address } = fields;
  const claims = hint === undefined ? undefined : await hintIn(call, issuer, hint);
  if (hint !== undefined && !claims) throw refused('id_token_hint is not an ID token of this provider');
  const clientId = claims ? stringClaim(claims, 'azp') : fields.client_id;
  if (fields.client_id !== undefined && fields.client_id !== clientId) throw refused('client_id is not the client of the id token');
  const client = clientId === undefined ? undefined : providerOf(call).clients.get(clientId);
  if (clientId !== undefined && !client) throw refused('client_id is not the id of a client of this provider');
  if (address !== undefined && !(client && isAllowedAddress(patternsAt(issuer, client.postLogoutRedirectUris), address)))
    throw refused('post_logout_redirect_uri is not one of the addresses of the client');
  if (claims) await endSessionOf(call, claims);
  return redirect(withParameters(address ?? `${issuer}/logged-out`, { state: fields.state }));
};

const refused = (reason: string) => explained('COULD_NOT_VALIDATE', reason);

/** Ends the session in the claims of an id token or, without one, all sessions of the identity with signed tokens. */
const endSessionOf = (call: Call, claims: Claims): Promise<void> =>
  call.write(async (entities) => {
    const sessionId = stringClaim(claims, 'z_asid');
    const subject = stringClaim(claims, 'sub') ?? '';
    if (sessionId !== undefined) {
      const session = await entities.get(apiSession, sessionId);
      if (session?.identityId !== subject || !session.isBearer) return;
      await endApiSessions(entities, [session]);
      await storeRevocation(entities, call, { id: sessionId, type: 'API_SESSION' });
    } else if (await entities.get(identity, subject)) {
      await endApiSessions(
        entities,
        (await apiSessionsOf(entities, subject)).filter(({ isBearer }) => isBearer),
      );
      await storeRevocation(entities, call, { id: subject, type: 'IDENTITY' });
    }
  });
