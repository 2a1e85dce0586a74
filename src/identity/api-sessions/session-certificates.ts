/** Issues and stores certificates of API sessions. */

import type { Call } from '../../call/call.ts';
import { apiSessionCertificate } from '../../contract/api/api-session-certificates.ts';
import { ApiError, RETRY_AFTER } from '../../contract/errors/index.ts';
import { type Certificate, certificatesPem } from '../../crypto/pki/certificate.ts';
import { issue, type Profile, sessionProfile } from '../../crypto/pki/issue.ts';
import { readRequest } from '../../crypto/pki/request.ts';
import { dateField, equals, stringField } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { newId } from '../../store/storage/ids.ts';

/** Maximum number of unexpired certificates per session. */
const MAX_CERTIFICATES = 50;

/** A certificate of a session. The controller accepts it only once it is stored. */
export interface IssuedCertificate {
  readonly id: string;
  readonly sessionId: string;
  readonly certificate: Certificate;
  /** PEM, leaf first, without the root. */
  readonly chain: string;
}

interface IssuingOptions {
  /** Default: the subject in the request. */
  readonly subject?: Profile['subject'];
  /** ms. Default: twelve hours. */
  readonly lifetime?: number;
}

/**
 * Issues a certificate for a session and the key of a certificate request. Must not run inside a transaction.
 * @returns undefined if the request is invalid
 */
export const issueSessionCertificate = (
  call: Call,
  session: { readonly id: string; readonly identityId: string },
  csr: string,
  { subject, lifetime }: IssuingOptions = {},
): Promise<IssuedCertificate | undefined> => {
  const { enrollments, pki, platform } = call.core;
  return enrollments.run(async () => {
    const request = await readRequest(csr);
    if (!request) return undefined;
    const signer = await pki.signer();
    const id = newId(platform.random);
    const uri = `spiffe://${signer.trustDomain}/identity/${session.identityId}/apiSession/${session.id}/apiSessionCertificate/${id}`;
    const requested = { publicKey: request.publicKey, subject: subject ?? request.subject };
    const certificate = await issue(sessionProfile(requested, platform.clock.now(), uri, lifetime), signer, platform.random);
    return { id, sessionId: session.id, certificate, chain: certificatesPem([certificate, ...signer.chain]) };
  }, call);
};

/**
 * Stores a certificate, and removes expired ones of the same session.
 * @param isRenewal if there are too many certificates, replaces the oldest one
 * @throws ApiError `RATE_LIMITED` if there are too many unexpired certificates
 */
export const storeSessionCertificate = async (
  entities: Entities,
  call: Pick<Call, 'now'>,
  { id, sessionId, certificate, chain }: IssuedCertificate,
  { isRenewal = false }: { readonly isRenewal?: boolean } = {},
): Promise<void> => {
  const now = call.now();
  const existing = await entities.list(apiSessionCertificate, {
    where: equals(stringField('apiSessionId'), sessionId),
    sort: [{ field: dateField('createdAt'), descending: false }],
  });
  const expired = existing.filter(({ validTo }) => validTo !== null && validTo < now);
  const unexpired = existing.filter((row) => !expired.includes(row));
  const excess = unexpired.slice(0, Math.max(0, unexpired.length - MAX_CERTIFICATES + 1));
  if (excess.length > 0 && !isRenewal) throw new ApiError('RATE_LIMITED', { retryAfter: RETRY_AFTER.quota });
  for (const row of [...expired, ...excess]) await entities.remove(apiSessionCertificate, row);
  await entities.insert(apiSessionCertificate, {
    id,
    apiSessionId: sessionId,
    certificate: chain,
    fingerprint: certificate.fingerprint,
    subject: certificate.subject,
    validFrom: new Date(certificate.notBefore).toISOString(),
    validTo: new Date(certificate.notAfter).toISOString(),
  });
};
