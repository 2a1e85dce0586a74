/** The provider's tokens: their claims, and their entries in the session. */
import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { encode } from 'jose/base64url';
import { hasAdministratorRights } from '../../call/actor.ts';
import type { Call } from '../../call/call.ts';
import { apiSession, type Bearer } from '../../contract/api/api-sessions.ts';
import type { authPolicy } from '../../contract/api/auth-policies.ts';
import type { identity } from '../../contract/api/identities.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import type { Claims } from '../../crypto/tokens/token.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { providerOf } from './provider.ts';

/** The session and identity of new tokens, and the issuer that the client addressed. */
export interface TokenSubject {
  readonly session: RowOf<typeof apiSession> & { readonly bearer: Bearer };
  readonly owner: RowOf<typeof identity>;
  readonly issuer: string;
  /** Scopes of the new access token. Default: all granted ones. */
  readonly scopes?: readonly string[];
  /** The client that the tokens are for. Default: the one that logged in. */
  readonly audience?: string | undefined;
  /** SHA-1 of the certificates that the new tokens are bound to; empty for none. */
  readonly fingerprints: readonly string[];
  readonly policy: Pick<RowOf<typeof authPolicy>, 'primary'>;
}

/**
 * Maximum number of tokens of each type in a session. If there are more, the oldest are dropped. Clients renew tokens a few times an hour.
 */
const MAX_TOKENS = 64;

/** The claims of tokens to be signed. The claims of an id token are created when it is signed. */
export interface Minted {
  readonly access: Claims;
  readonly refresh: Claims | undefined;
}

/**
 * Creates the claims of an access token and, with `isRenewable`, of a refresh token, and records the tokens in their session, in the
 * transaction of the grant. They are signed after the commit: a token that is not recorded is invalid.
 * @param spent ids of tokens that this grant revokes
 */
export const mint = async (
  entities: Entities,
  call: Call,
  subject: TokenSubject,
  { isRenewable, spent = [] }: { readonly isRenewable: boolean; readonly spent?: readonly string[] },
): Promise<Minted> => {
  const { lifetimes, longest } = providerOf(call);
  const { session } = subject;
  const now = secondsNow(call);
  const end = longest === undefined ? Number.POSITIVE_INFINITY : session.bearer.authTime + longest;
  const newToken = (is: 'a' | 'r', lifetime: number) => ({ id: call.core.platform.random.uuid(), is, exp: Math.min(now + lifetime, end) });
  const access = newToken('a', lifetimes.access);
  const refresh = isRenewable ? newToken('r', lifetimes.refresh) : undefined;
  const unexpired = session.bearer.tokens.filter(({ id, exp }) => exp > now && !spent.includes(id));
  const all = [...unexpired, access, ...(refresh ? [refresh] : [])];
  const tokens = (['a', 'r'] as const).flatMap((is) => all.filter((token) => token.is === is).slice(-MAX_TOKENS));
  await entities.update(apiSession, session, {
    tokenIds: tokens.map(({ id }) => id),
    bearer: { ...session.bearer, tokens },
    endsAt: new Date(Math.max(...tokens.map(({ exp }) => exp)) * 1000).toISOString(),
  });
  return { access: sessionClaims(subject, access, now), refresh: refresh && sessionClaims(subject, refresh, now) };
};

const secondsNow = (call: Pick<Call, 'now'>): number => Math.floor(Date.parse(call.now()) / 1000);

type Token = Bearer['tokens'][number];

const sessionClaims = (subject: TokenSubject, { id, is, exp }: Token, now: number): Claims => {
  const { session, owner, fingerprints, policy } = subject;
  const isBound = fingerprints.length > 0;
  const { bearer } = session;
  // A refresh token keeps all granted scopes, even if the new access token has fewer.
  const scopes = is === 'a' ? (subject.scopes ?? bearer.scopes) : bearer.scopes;
  return {
    ...commonClaims(subject),
    exp,
    iat: now,
    nbf: now,
    jti: id,
    ...(scopes.length > 0 ? { scopes } : {}),
    z_asid: session.id,
    z_t: is,
    z_aid: bearer.clientId,
    z_authid: session.authenticatorId,
    ...(hasAdministratorRights(owner) ? { z_ia: true } : {}),
    ...(owner.externalId ? { z_eid: owner.externalId } : {}),
    ...(session.configTypes.length > 0 ? { z_ct: session.configTypes } : {}),
    z_cfs: isBound ? fingerprints : null,
    ...(bearer.certificate ? { z_acf: bearer.certificate.fingerprint } : {}),
    ...(isBound && policy.primary.cert.allowExpiredCerts ? { z_cae: true } : {}),
    z_sdk: bearer.sdkInfo,
    z_env: bearer.envInfo,
    z_ra: bearer.address,
    z_ice: session.isCertExtendable === true,
    z_cer: session.isCertExtendRequested === true,
    z_ckrr: session.isCertKeyRollRequested === true,
    z_iccc: session.improperClientCertChain === true,
  };
};

const commonClaims = ({ session: { bearer }, owner, issuer, audience }: TokenSubject): Claims => ({
  iss: issuer,
  sub: owner.id,
  aud: [audience ?? bearer.clientId],
  client_id: bearer.clientId,
  auth_time: bearer.authTime,
  amr: bearer.amr,
});

/** The nonce, code and access token that an id token is bound to. */
export interface IdTokenBindings {
  readonly nonce?: string | null;
  readonly code?: string;
  readonly accessToken?: string;
}

/** The claims of an id token, which identifies the user (OpenID Connect Core 1.0, section 2) and is not a credential. */
export const idClaims = (call: Call, subject: TokenSubject, { nonce, code, accessToken }: IdTokenBindings): Claims => {
  const { session, owner } = subject;
  const now = secondsNow(call);
  return {
    ...commonClaims(subject),
    azp: session.bearer.clientId,
    exp: now + providerOf(call).lifetimes.id,
    iat: now,
    z_asid: session.id,
    ...(nonce == null ? {} : { nonce }),
    ...(code === undefined ? {} : { c_hash: leftHalf(code) }),
    ...(accessToken === undefined ? {} : { at_hash: leftHalf(accessToken) }),
    ...(session.bearer.scopes.includes('openid')
      ? { name: owner.name, z_ia: hasAdministratorRights(owner), ...(owner.externalId ? { z_eid: owner.externalId } : {}) }
      : {}),
  };
};

/** The left half of the SHA-256 of a text, in base64url (OpenID Connect Core 1.0, 3.1.3.6). */
const leftHalf = (text: string): string => encode(sha256(utf8ToBytes(text)).slice(0, 16));

/** The claims of an id token of this issuer, expired or not; undefined for any other text. */
export const hintIn = async (call: Call, issuer: string, hint: string): Promise<Claims | undefined> => {
  const claims = await providerOf(call).keys.verify(hint);
  return claims && claims.iss === issuer && claims.z_t === undefined && typeof claims.azp === 'string' ? claims : undefined;
};
