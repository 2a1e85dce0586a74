import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { encode } from 'jose/base64url';
import type { PresentedToken } from '../../call/actor.ts';
import { isDisabled } from '../../call/authentication/actors.ts';
import { endApiSessions } from '../../call/authentication/api-sessions.ts';
import { boundTo, holdsNamedCertificate, isOfLogin, isOver, sessionOfToken, tokenIn } from '../../call/authentication/bearer.ts';
import type { Call } from '../../call/call.ts';
import { authPolicy, identity } from '../../contract/api/kinds.ts';
import type { TokenAnswer, TokenForm } from '../../contract/api/oidc-schemas.ts';
import { ApiError, explained } from '../../contract/errors/index.ts';
import { readPresented } from '../../crypto/pki/presented.ts';
import { hashToken } from '../../crypto/tokens/opaque.ts';
import { isEqual, toBytes } from '../../runtime/platform/password-hasher.ts';
import type { Entities } from '../../store/entities/entities.ts';
import type { IssuedCertificate } from '../api-sessions/session-certificates.ts';
import { boundSubject, certify, loginFingerprints, renewedCertificate } from './certificates.ts';
import { basicClientOf, clientOf } from './clients.ts';
import { pendingFactors } from './factors.ts';
import { providerOf, reachedIssuer } from './provider.ts';
import { loginOf, storedRequest, storeProgress } from './requests.ts';
import { idClaims, type Minted, mint, type TokenSubject } from './tokens.ts';

const TYPE = 'urn:ietf:params:oauth:token-type:';
export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';

/** The value of `z_t` for each type of token that can be exchanged. */
const SUBJECT_TYPES: Readonly<Record<string, 'a' | 'r' | undefined>> = { [`${TYPE}refresh_token`]: 'r', [`${TYPE}access_token`]: 'a' };

/** Issues tokens for a code or a refresh token, or by token exchange. */
export const issueTokens = async (call: Call, form: TokenForm): Promise<TokenAnswer> => {
  const issuer = await reachedIssuer(call);
  if (!form.grant_type) throw missing('grant_type');
  switch (form.grant_type) {
    case 'authorization_code':
      return redeem(call, issuer, form);
    case 'refresh_token':
      return refresh(call, issuer, form);
    case TOKEN_EXCHANGE:
      return exchange(call, issuer, form);
    default:
      throw new ApiError('UNSUPPORTED_GRANT_TYPE');
  }
};

const missing = (field: string): ApiError => explained('COULD_NOT_VALIDATE', `${field} is missing`);
const invalidGrant = (reason: string): ApiError => explained('INVALID_GRANT', reason);

/** The code challenge of a verifier (RFC 7636, 4.2: S256). */
const challengeOf = (verifier: string): string => encode(sha256(utf8ToBytes(verifier)));

const refusedCode = (): ApiError =>
  invalidGrant('the code is invalid, expired or used, or was issued to another client, redirect URI, code verifier or certificate');

/**
 * Redeems a code, which can be used only once. The code of a login with a certificate is bound to that certificate, which must be presented
 * when the login begins or with this request. A second use ends the session and its tokens, because one of the two callers is not the
 * client (RFC 6749, section 4.1.2).
 */
const redeem = async (call: Call, issuer: string, form: TokenForm): Promise<TokenAnswer> => {
  const client = clientOf(call, form.client_id);
  const { code, code_verifier: verifier, redirect_uri: redirectUri } = form;
  if (!code) throw missing('code');
  if (!verifier) throw missing('code_verifier');
  const matchingRequest = async (entities: Entities) => {
    const row = await storedRequest(entities, call, code.slice(0, code.indexOf('.')));
    const isMatch =
      row?.progress.codes.includes(hashToken(code)) &&
      row.request.clientId === client.id &&
      row.request.redirectUri === redirectUri &&
      isEqual(toBytes(challengeOf(verifier)), toBytes(row.request.codeChallenge));
    return isMatch ? row : undefined;
  };
  // Checked first without a write permit, because anyone may call this and could otherwise keep writers busy.
  const found = await call.read(matchingRequest);
  if (!found) throw refusedCode();
  const { csr } = found.progress;
  const begun = csr ? await call.read((entities) => loginOf(entities, call, found)) : undefined;
  const issued = csr && begun ? await certify(call, begun.session, csr) : undefined;
  const certificate = (await readPresented(call.peerCertificates))?.leaf;
  const outcome = await call.write(async (entities) => {
    const row = await matchingRequest(entities);
    const login = await loginOf(entities, call, row);
    if (!login?.session.bearer) return undefined;
    const { session, owner, policy } = login;
    const { bearer } = login.session;
    const isBegunWithCertificate = login.row.request.certificate === bearer.certificate?.sha256;
    const isBound = bearer.certificate !== null && providerOf(call).bindsCertificates && !isBegunWithCertificate;
    if (isBound && !(certificate && isOfLogin(session, certificate))) return undefined;
    if (row?.progress.isRedeemed) return void (await endApiSessions(entities, [session]));
    if ((await pendingFactors(entities, login)).length > 0) return undefined;
    await storeProgress(entities, login.row, { isRedeemed: true, csr: null });
    const unbound = { session: { ...session, bearer }, owner, issuer, policy, fingerprints: loginFingerprints(bearer) };
    const subject = await boundSubject(entities, call, unbound, issued);
    const isRenewable = bearer.scopes.includes('offline_access');
    return { subject, minted: await mint(entities, call, subject, { isRenewable }), nonce: login.row.request.nonce };
  });
  if (!outcome) throw refusedCode();
  return signed(call, outcome.subject, outcome.minted, { nonce: outcome.nonce, code, issued });
};

/**
 * Redeems a refresh token, which can be used only once. A second use does not revoke the new tokens, because several windows of a client
 * may race.
 */
const refresh = async (call: Call, issuer: string, form: TokenForm): Promise<TokenAnswer> => {
  const client = clientOf(call, form.client_id);
  if (!form.refresh_token) throw missing('refresh_token');
  const token = await verified(call, form.refresh_token, 'r');
  const subjectIn = async (entities: Entities): Promise<TokenSubject> => {
    const found = await subjectOf(entities, call, token, issuer);
    if (found.session.bearer.clientId !== client.id) throw invalidGrant('the refresh token was issued to another client');
    return { ...found, scopes: narrowScopes(form.scope, found.session.bearer.scopes) };
  };
  const issued = await renewedCertificate(call, token, form.csr_pem, subjectIn);
  const { subject, minted } = await call.write(async (entities) => {
    const subject = await boundSubject(entities, call, await subjectIn(entities), issued);
    return { subject, minted: await mint(entities, call, subject, { isRenewable: true, spent: [token.id] }) };
  });
  return signed(call, subject, minted, { issued });
};

/**
 * Exchanges a token for another one of the same session (RFC 8693), as SDKs do to renew their tokens. The exchanged token remains valid. An
 * access token cannot be exchanged for a refresh token, because it could then be renewed forever.
 */
const exchange = async (call: Call, issuer: string, form: TokenForm): Promise<TokenAnswer> => {
  basicClientOf(call);
  if (!form.subject_token) throw missing('subject_token');
  if (!form.subject_token_type) throw missing('subject_token_type');
  const is = SUBJECT_TYPES[form.subject_token_type];
  const requested = form.requested_token_type ?? `${TYPE}refresh_token`;
  if (!is) throw explained('COULD_NOT_VALIDATE', 'subject_token_type must be the type of a refresh token or of an access token');
  if (
    ![`${TYPE}refresh_token`, `${TYPE}access_token`, `${TYPE}id_token`].includes(requested) ||
    (is === 'a' && requested === `${TYPE}refresh_token`)
  )
    throw explained('COULD_NOT_VALIDATE', 'requested_token_type is not available for this token');
  const { clients } = providerOf(call);
  if (form.audience !== undefined && !clients.get(form.audience)?.isOfNetwork)
    throw explained('COULD_NOT_VALIDATE', 'audience must be openziti or native');
  const token = await verified(call, form.subject_token, is);
  if (is === 'a' && token.claims.iss !== issuer) throw invalidGrant('the access token was issued by another issuer');
  const subjectIn = async (entities: Entities): Promise<TokenSubject> => {
    const found = await subjectOf(entities, call, token, issuer);
    // Tokens of the host's applications must not give access to the APIs.
    if (form.audience !== undefined && !clients.get(found.session.bearer.clientId)?.isOfNetwork)
      throw explained('COULD_NOT_VALIDATE', 'audience must be omitted: the token belongs to another application');
    return { ...found, scopes: narrowScopes(form.scope, found.session.bearer.scopes), audience: form.audience };
  };
  const isIdToken = requested === `${TYPE}id_token`;
  // An ID token is bound to no certificate.
  const issued = isIdToken ? undefined : await renewedCertificate(call, token, form.csr_pem, subjectIn);
  const { subject, minted } = await call.write(async (entities) => {
    const subject = await boundSubject(entities, call, await subjectIn(entities), issued);
    return {
      subject,
      minted: isIdToken ? undefined : await mint(entities, call, subject, { isRenewable: requested === `${TYPE}refresh_token` }),
    };
  });
  if (!minted) {
    const idToken = await providerOf(call).keys.sign(idClaims(call, subject, {}));
    return { access_token: idToken, issued_token_type: requested, token_type: 'N_A' };
  }
  const { id_token: _, ...answer } = await signed(call, subject, minted, { issued });
  return { ...answer, issued_token_type: requested };
};

/**
 * Verifies a token.
 * @throws ApiError `INVALID_GRANT` unless it is an unexpired token of this type and provider
 */
const verified = async (call: Call, text: string, is: 'a' | 'r'): Promise<PresentedToken> => {
  const claims = await providerOf(call).keys.verify(text);
  const token = claims && tokenIn(text, claims, is);
  if (!token) throw invalidGrant(`this is not a valid ${is === 'r' ? 'refresh' : 'access'} token of this provider`);
  if (isOver(token, call)) throw invalidGrant('the token has expired');
  return { ...token, certificate: (await readPresented(call.peerCertificates))?.leaf };
};

/**
 * The session and identity of a token, as of this transaction.
 * @throws ApiError `INVALID_GRANT` if the token was used or revoked, its identity is disabled, or its session has reached its maximum age;
 * `ACCESS_DENIED` if none of its certificates was presented
 */
const subjectOf = async (entities: Entities, call: Call, token: PresentedToken, issuer: string) => {
  const session = await sessionOfToken(entities, token);
  const owner = session && (await entities.get(identity, session.identityId));
  if (!session?.bearer || !owner || isDisabled(owner, call.now()))
    throw invalidGrant('the token was used or revoked, or its session has ended');
  const { bearer } = session;
  const { longest } = providerOf(call);
  if (longest !== undefined && bearer.authTime + longest <= Date.parse(call.now()) / 1000)
    throw invalidGrant('the session has reached its maximum age: log in again');
  if (!(await holdsNamedCertificate(entities, session, token, call.core)))
    throw explained('ACCESS_DENIED', 'peer certificate fingerprint does not match token');
  const policy = await entities.require(authPolicy, owner.authPolicyId);
  return { session: { ...session, bearer }, owner, issuer, policy, fingerprints: boundTo(token.claims) } satisfies TokenSubject;
};

/**
 * The requested scopes, or by default the granted ones.
 * @throws ApiError `INVALID_SCOPE` if the request exceeds the grant
 */
const narrowScopes = (scope: string | undefined, granted: readonly string[]): readonly string[] => {
  const requested = (scope ?? '').split(' ').filter(Boolean);
  if (requested.some((name) => !granted.includes(name))) throw new ApiError('INVALID_SCOPE');
  return requested.length === 0 ? granted : requested;
};

const signed = async (
  call: Call,
  subject: TokenSubject,
  { access, refresh }: Minted,
  {
    nonce = null,
    code,
    issued,
  }: { readonly nonce?: string | null; readonly code?: string; readonly issued: IssuedCertificate | undefined },
): Promise<TokenAnswer> => {
  const { keys, lifetimes } = providerOf(call);
  const accessToken = await keys.sign(access);
  const scopes = subject.scopes ?? subject.session.bearer.scopes;
  return {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: lifetimes.access,
    ...(refresh ? { refresh_token: await keys.sign(refresh) } : {}),
    id_token: await keys.sign(idClaims(call, subject, { nonce, accessToken, ...(code === undefined ? {} : { code }) })),
    ...(scopes.length > 0 ? { scope: scopes.join(' ') } : {}),
    ...(issued ? { session_cert: issued.chain } : {}),
  };
};
