/** Certificates that the token endpoint issues, for a key of the client, and binds its tokens to. */
import type { Bearer } from '../../../api/api-sessions.ts';
import { boundTo } from '../../../authentication/bearer.ts';
import type { PresentedToken } from '../../../call/actor.ts';
import type { Call } from '../../../call/call.ts';
import type { Entities } from '../../../entities/entities.ts';
import { explained } from '../../../errors/index.ts';
import { YEAR } from '../../../platform/clock.ts';
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
    'invalid CSR: it must be a certificate request (PKCS#10) in PEM, signed with its own key, which is RSA of 2048 to 8192 bits, P-256, P-384, P-521 or Ed25519',
  );
};

/**
 * Issues another certificate for the session of a token that is bound to certificates; undefined for any other token, which cannot gain one.
 * @param subjectIn the subject of the token. Checked before the request, because issuing takes longer than everything else
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

/** Binds new tokens to the certificate of the login, and to the one that was issued for them, which is stored. Without one, tokens keep their certificates. */
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
