import type { Call } from '../../call/call.ts';
import { certificatesPem } from '../../crypto/pki/certificate.ts';
import { clientProfile, issue } from '../../crypto/pki/issue.ts';
import type { CertificateRequest } from '../../crypto/pki/request.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { addAuthenticator, type enrolleeOf } from './behaviour.ts';

/** A certificate that the network issued, and the function that adds it as an authenticator. */
interface Issued {
  /** PEM chain, leaf first, without the root. */
  readonly cert: string;
  /** The certificates that clients should trust. PEM. */
  readonly ca: string;
  /** @throws ApiError `MAX_AUTHENTICATOR_METHODS_REACHED` */
  add(entities: Entities, enrollee: Parameters<typeof enrolleeOf>[0]): Promise<void>;
}

/**
 * Issues the certificate of an enrolling identity.
 * @param identityId adds the SPIFFE id of that identity to the certificate
 */
export const issueClientCertificate = async ({ core }: Call, request: CertificateRequest, identityId?: string): Promise<Issued> => {
  const { pki, platform } = core;
  const signer = await pki.signer();
  const uris = identityId === undefined ? [] : [`spiffe://${signer.trustDomain}/identity/${identityId}`];
  const certificate = await issue(clientProfile(request, platform.clock.now(), { uris }), signer, platform.random);
  const certPem = certificatesPem([certificate, ...signer.chain]);
  return {
    cert: certPem,
    ca: certificatesPem(signer.bundle),
    add: (entities, enrollee) =>
      addAuthenticator(entities, enrollee, 'cert', { certPem }, { fingerprint: certificate.fingerprint, isIssuedByNetwork: true }),
  };
};
