import { resolveConfigTypes } from '../../access/services/config-data.ts';
import { apiSessionActor } from '../../call/authentication/actors.ts';
import { endApiSessions } from '../../call/authentication/api-sessions.ts';
import type { Call } from '../../call/call.ts';
import type { Bearer } from '../../contract/api/api-sessions.ts';
import { apiSession, authRequest } from '../../contract/api/kinds.ts';
import { fingerprintOf } from '../../crypto/pki/certificate.ts';
import { sha256Hex } from '../../crypto/sha256.ts';
import { compareText } from '../../query/index.ts';
import { type Authenticated, invalidAuth, type LoginBody, noCertificate, type OpenSession } from '../login/login.ts';
import { type AuthRequest, authRequestOf } from './requests.ts';

/** The primary login methods, as named in `amr`. */
export type PrimaryMethod = 'password' | 'cert' | 'ext-jwt';

/**
 * Opens the session of a login at the provider. The session has no tokens yet. A primary login starts over: factors and codes of an earlier
 * primary login, possibly as another identity, no longer count.
 * @param browser the hash of the secret of the browser that the login is bound to; null if a program logs in
 * @param csr the client's certificate request, which is validated only when the code is redeemed
 */
export const openLoginSession =
  (id: string, method: PrimaryMethod, browser: string | null, csr: string | undefined): OpenSession =>
  async (entities, authenticated, body, call) => {
    const row = await authRequestOf(entities, call, id);
    if (!row) throw invalidAuth();
    const former = row.apiSessionId === null ? undefined : await entities.get(apiSession, row.apiSessionId);
    // Detached first, because ending the session would also delete the login.
    const detached = await entities.update(authRequest, row, { apiSessionId: null });
    if (former) await endApiSessions(entities, [former]);
    const configTypes = await resolveConfigTypes(entities, [...row.request.configTypes, ...(body.configTypes ?? [])]);
    const bearer = newBearer(row.request, method, body, call);
    const session = await entities.insert(apiSession, {
      ...newSession(authenticated, call),
      configTypes: [...configTypes].sort(compareText),
      sdkInfo: body.sdkInfo ?? null,
      endsAt: row.endsAt,
      bearer,
    });
    const { amr, authTime } = bearer;
    await entities.update(authRequest, detached, {
      apiSessionId: session.id,
      progress: { ...row.progress, amr, authTime, codes: [], browser, pageKey: null, csr: csr || null },
    });
    return apiSessionActor(entities, session, authenticated.owner, '');
  };

/** The fields of a session before its tokens are issued, and before any second factor. */
const newSession = ({ owner, authenticatorId, certificate = noCertificate }: Authenticated, call: Call) => ({
  id: call.core.platform.random.uuid(),
  identityId: owner.id,
  authenticatorId,
  tokenHash: null,
  ipAddress: call.remoteAddress,
  isMfaRequired: false,
  isMfaComplete: false,
  mfaPassedAt: null,
  ...certificate,
  lastActivityAt: null,
  wokenAt: null,
  unlockedAt: null,
  isBearer: true,
  isKnownToRouters: false,
  tokenIds: [],
});

const newBearer = (request: AuthRequest['request'], method: PrimaryMethod, body: LoginBody, call: Call): Bearer => {
  const [leaf] = call.peerCertificates;
  return {
    clientId: request.clientId,
    scopes: request.scopes,
    amr: [method],
    authTime: Math.floor(Date.parse(call.now()) / 1000),
    certificate: method === 'cert' && leaf ? { fingerprint: fingerprintOf(leaf), sha256: sha256Hex(leaf) } : null,
    address: request.address,
    envInfo: body.envInfo ?? {},
    sdkInfo: body.sdkInfo ?? {},
    tokens: [],
  };
};
