/** Certificates that the token endpoint issues, for a key of the client, and binds its tokens to. */

import type { PresentedToken } from '../../call/actor.ts';
import { boundTo } from '../../call/authentication/bearer.ts';
import type { Call } from '../../call/call.ts';
import type { Bearer } from '../../contract/api/api-sessions.ts';
import { explained } from '../../contract/errors/index.ts';
import { ACCEPTED_KEYS } from '../../crypto/pki/strength.ts';
import { YEAR } from '../../runtime/platform/clock.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { type IssuedCertificate, issueSessionCertificate, storeSessionCertificate } from '../api-sessions/session-certificates.ts';
import type { TokenSubject } from './tokens.ts';

/**
 * Issues a certificate for a session, valid for a year. Only the key of the request is used: its names could be those of another session.
 * @throws ApiError `COULD_NOT_PROCESS_CSR`
 */
export const certify = async (
  call: Call,
  session: { readonly id: string; readonly identityId: string },
  csr: string,
): Promise<IssuedCertificate> => {
  const issued = await issueSessionCertificate(call, session, csr, { subject: [{ CN: [session.id] }], lifetime: YEAR });
  if (issued) return issued;
  throw explained(
    'COULD_NOT_PROCESS_CSR',
    `invalid CSR: it must be a certificate request (PKCS#10) in PEM, signed with its own key, which is ${ACCEPTED_KEYS}`,
  );
};

/**
 * Issues another certificate for the session of a token that is bound to certificates. Returns undefined for other tokens, which cannot
 * become bound.
 * @param subjectIn reads and checks the subject of the token. Called before the certificate is issued, which is slow
 */
export const renewedCertificate = async (
  call: Call,
  { claims }: PresentedToken,
  csr: string | undefined,
  subjectIn: (entities: Entities) => Promise<TokenSubject>,
): Promise<IssuedCertificate | undefined> =>
  csr && boundTo(claims).length > 0 ? certify(call, (await call.read(subjectIn)).session, csr) : undefined;

/** The fingerprint of the certificate of a login, if it used one. */
export const loginFingerprints = ({ certificate }: Bearer): readonly string[] => (certificate ? [certificate.fingerprint] : []);

/**
 * Binds new tokens to the certificate of the login, and to the one that was issued for them, which is stored. Without one, tokens keep
 * their certificates.
 */
export const boundSubject = async (
  entities: Entities,
  call: Call,
  subject: TokenSubject,
  issued: IssuedCertificate | undefined,
): Promise<TokenSubject> => {
  if (!issued) return subject;
  await storeSessionCertificate(entities, call, issued, { isRenewal: true });
  return { ...subject, fingerprints: [...loginFingerprints(subject.session.bearer), issued.certificate.fingerprint] };
};
