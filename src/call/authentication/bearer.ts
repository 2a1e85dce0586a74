import { apiSession, apiSessionCertificate, type authPolicy } from '../../contract/api/kinds.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import { unauthorized } from '../../contract/errors/index.ts';
import { withSubcode } from '../../contract/errors/subcode.ts';
import { beginsWith, type Certificate } from '../../crypto/pki/certificate.ts';
import { readPresented } from '../../crypto/pki/presented.ts';
import { sha256Hex } from '../../crypto/sha256.ts';
import { bearerTokens, type Claims, type Jwt, readToken, stringClaim } from '../../crypto/tokens/token.ts';
import { and, equals, stringField } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import type { PresentedToken } from '../actor.ts';
import type { Call } from '../call.ts';
import type { Provider } from '../provider.ts';

type ApiSession = RowOf<typeof apiSession>;
type Presenting = Pick<Call, 'core' | 'credentials' | 'peerCertificates' | 'now'>;

/**
 * The first of the provider's access tokens that a call presents in `Authorization`. Verifies the token itself (signature, validity period,
 * and that it is for this API), but not that it is still active, which only the store knows. Must not run inside a transaction, because
 * keys may have to be read.
 * @throws ApiError `UNAUTHORIZED` if all such tokens have expired
 */
export const presentedToken = async (call: Presenting, isForNetwork = true): Promise<PresentedToken | undefined> => {
  const { core, credentials } = call;
  if (!core.provider || credentials.kind !== 'token' || credentials.token !== undefined) return undefined;
  let hasExpired = false;
  const texts = bearerTokens(credentials.authorization);
  for (const text of texts) {
    const token = await accessTokenIn(core, text, call.now(), isForNetwork);
    if (!token) continue;
    if (isOver(token, call)) hasExpired = true;
    else {
      const certificate = boundTo(token.claims).length > 0 ? (await readPresented(call.peerCertificates))?.leaf : undefined;
      return { ...token, certificate, isAlone: texts.length === 1 };
    }
  }
  if (hasExpired) throw withSubcode(unauthorized('token expired'), 'TOKEN_EXPIRED');
  return undefined;
};

/**
 * True if every bearer token of a call is a JWT of another issuer, signed with a key that this network does not know. Also true for a call
 * without bearer tokens.
 */
export const presentsOnlyForeign = ({ core, credentials }: Pick<Presenting, 'core' | 'credentials'>): boolean => {
  const texts = credentials.kind === 'token' ? bearerTokens(credentials.authorization) : [];
  return texts.every((text) => {
    const token = readToken(text);
    return token !== undefined && !isOwnIssuer(core, token);
  });
};

const isOwnIssuer = ({ provider, settings }: Presenting['core'], { kid, claims }: Jwt): boolean =>
  provider !== undefined && (claims.iss === `${settings.address}/oidc` || provider.keys.published.some((key) => key.kid === kid));

/**
 * Parses an access token of the provider and verifies its signature, but not its expiry; undefined for anything else. Must not run inside a
 * transaction.
 */
export const accessTokenIn = async (
  { provider }: Pick<Call['core'], 'provider'>,
  text: string,
  now: string,
  isForNetwork = true,
): Promise<PresentedToken | undefined> => {
  const claims = await provider?.keys.verify(text);
  const token = claims && tokenIn(text, claims, 'a');
  if (!provider || !token || !hasBegun(claims, { now: () => now })) return undefined;
  return isForNetwork && !isForNetworkIn(provider, claims) ? undefined : token;
};

/**
 * Reads the claims of a token of the given type.
 * @param type `a`: an access token, `r`: a refresh token
 */
export const tokenIn = (text: string, claims: Claims, type: 'a' | 'r'): PresentedToken | undefined => {
  const [id, sessionId, subject] = [stringClaim(claims, 'jti'), stringClaim(claims, 'z_asid'), stringClaim(claims, 'sub')];
  const { iat, exp } = claims;
  if (claims.z_t !== type || id === undefined || sessionId === undefined || subject === undefined) return undefined;
  return typeof iat === 'number' && typeof exp === 'number' ? { text, id, sessionId, subject, claims, iat, exp } : undefined;
};

/** True if a token has expired. */
export const isOver = ({ exp }: Pick<PresentedToken, 'exp'>, call: Pick<Call, 'now'>): boolean => exp * 1000 <= Date.parse(call.now());

/** Maximum clock skew between controllers. ms */
const TOLERANCE = 60_000;

const hasBegun = ({ nbf }: Claims, call: Pick<Call, 'now'>): boolean =>
  nbf === undefined || (typeof nbf === 'number' && nbf * 1000 <= Date.parse(call.now()) + TOLERANCE);

const isForNetworkIn = ({ clients }: Provider, { aud }: Claims): boolean =>
  Array.isArray(aud) && aud.some((client) => clients.get(String(client))?.isOfNetwork === true);

/**
 * The SHA-1 fingerprints of the certificates that a token names; empty for a token without binding. `holdsCertificate` and
 * `holdsNamedCertificate` decide which certificates may be presented with it.
 */
export const boundTo = ({ z_cfs: fingerprints }: Claims): readonly string[] =>
  Array.isArray(fingerprints) ? fingerprints.map(String) : [];

/**
 * The session of an active token: the id of a spent or revoked token is no longer among those of its session. Token ids are not volatile,
 * so a cached row is as good as the stored one.
 */
export const sessionOfToken = async (
  entities: Entities,
  { id, sessionId, subject }: Pick<PresentedToken, 'id' | 'sessionId' | 'subject'>,
): Promise<ApiSession | undefined> => {
  const session = await entities.getBy(apiSession, 'id', sessionId);
  return session?.isBearer && session.identityId === subject && session.tokenIds?.includes(id) ? session : undefined;
};

/**
 * True if a token is not bound to a certificate, or was presented with the certificate of its login or with an unexpired one that was
 * issued to its session. Only stored certificates count, not names in certificates: a client can request a certificate that names any
 * session.
 * @param policy the policy of the token's identity, which may accept the certificate of the login after it has expired
 */
export const holdsCertificate = async (
  entities: Entities,
  session: ApiSession,
  { certificate: leaf, claims }: PresentedToken,
  { provider, platform }: Pick<Call['core'], 'provider' | 'platform'>,
  policy: Pick<RowOf<typeof authPolicy>, 'primary'> | undefined,
): Promise<boolean> => {
  if (!provider?.bindsCertificates || boundTo(claims).length === 0) return true;
  if (!leaf) return false;
  const isUnexpired = platform.clock.now() <= leaf.notAfter;
  if (isOfLogin(session, leaf)) return isUnexpired || policy?.primary.cert.allowExpiredCerts === true;
  return isUnexpired && (await isIssuedTo(entities, session, leaf));
};

/**
 * True if a token is not bound to a certificate, or was presented with one that it names, expired or not. Required to renew a token: other
 * certificates of its session prove nothing here.
 */
export const holdsNamedCertificate = async (
  entities: Entities,
  session: ApiSession,
  { certificate: leaf, claims }: PresentedToken,
  { provider }: Pick<Call['core'], 'provider'>,
): Promise<boolean> => {
  const fingerprints = boundTo(claims);
  if (!provider?.bindsCertificates || fingerprints.length === 0) return true;
  if (!leaf || !fingerprints.includes(leaf.fingerprint)) return false;
  return isOfLogin(session, leaf) || isIssuedTo(entities, session, leaf);
};

/** True if a session was opened with this certificate. */
export const isOfLogin = ({ bearer }: Pick<ApiSession, 'bearer'>, { der }: Pick<Certificate, 'der'>): boolean =>
  bearer?.certificate?.sha256 === sha256Hex(der);

/** True if the controller issued this certificate to a session, and it has not been deleted. */
const isIssuedTo = async (entities: Entities, { id }: ApiSession, leaf: Certificate): Promise<boolean> => {
  const where = and(equals(stringField('apiSessionId'), id), equals(stringField('fingerprint'), leaf.fingerprint));
  const own = await entities.find(apiSessionCertificate, where);
  return own?.certificate != null && beginsWith(own.certificate, leaf);
};
