import { apiSession, authRequest } from '../../../api/kinds.ts';
import { apiSessionActor } from '../../../authentication/actors.ts';
import { endApiSessions } from '../../../authentication/api-sessions.ts';
import { sha256Of } from '../../../authentication/bearer.ts';
import { fingerprintOf } from '../../../pki/certificate.ts';
import { compareText } from '../../../query/index.ts';
import { requestedConfigTypes } from '../../catalogue/services/config-data.ts';
import { invalidAuth, noCertificate, type OpenSession } from '../login/login.ts';
import { authRequestOf } from './requests.ts';

/** The primary login methods, as named in `amr`. */
export type PrimaryMethod = 'password' | 'cert' | 'ext-jwt';

/**
 * Opens the session of a login at the provider. The session has no tokens yet. A primary login starts over: factors and codes of an earlier primary login,
 * possibly as another identity, no longer count.
 * @param browser the hash of the secret of the browser that the login is bound to; null if a program logs in
 * @param csr the client's certificate request, which is validated only when the code is redeemed
 */
export const openLoginSession =
  (id: string, method: PrimaryMethod, browser: string | null, csr: string | undefined): OpenSession =>
  async (entities, { owner, authenticatorId, certificate = noCertificate }, body, call) => {
    const row = await authRequestOf(entities, call, id);
    if (!row) throw invalidAuth();
    const { request, progress } = row;
    const former = row.apiSessionId === null ? undefined : await entities.get(apiSession, row.apiSessionId);
    // Detached first, because ending the session would also delete the login.
    const detached = await entities.update(authRequest, row, { apiSessionId: null });
    if (former) await endApiSessions(entities, [former]);
    const [leaf] = call.peerCertificates;
    const authTime = Math.floor(Date.parse(call.now()) / 1000);
    const configTypes = await requestedConfigTypes(entities, [...request.configTypes, ...(body.configTypes ?? [])]);
    const session = await entities.insert(apiSession, {
      id: call.core.platform.random.uuid(),
      identityId: owner.id,
      authenticatorId,
      tokenHash: null,
      ipAddress: call.remoteAddress,
      configTypes: [...configTypes].sort(compareText),
      isMfaRequired: false,
      isMfaComplete: false,
      mfaPassedAt: null,
      ...certificate,
      lastActivityAt: null,
      wokenAt: null,
      unlockedAt: null,
      sdkInfo: body.sdkInfo ?? null,
      isBearer: true,
      isKnownToRouters: false,
      endsAt: row.endsAt,
      tokenIds: [],
      bearer: {
        clientId: request.clientId,
        scopes: request.scopes,
        amr: [method],
        authTime,
        certificate: method === 'cert' && leaf ? { fingerprint: fingerprintOf(leaf), sha256: sha256Of(leaf) } : null,
        address: request.address,
        envInfo: body.envInfo ?? {},
        sdkInfo: body.sdkInfo ?? {},
        tokens: [],
      },
    });
    await entities.update(authRequest, detached, {
      apiSessionId: session.id,
      progress: { ...progress, amr: [method], authTime, codes: [], browser, pageKey: null, csr: csr || null },
    });
    return apiSessionActor(entities, session, owner, '');
  };
