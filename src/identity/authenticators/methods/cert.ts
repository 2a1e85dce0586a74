import { ApiError, invalidField } from '../../../contract/errors/index.ts';
import { readCertificates } from '../../../crypto/pki/certificate.ts';
import { keyWeakness, signatureWeakness } from '../../../crypto/pki/strength.ts';
import { certificateFields, issuerOf } from '../certificates.ts';
import type { AuthenticatorMethod } from '../method.ts';

/** A client certificate. */
export const certAuthenticator: AuthenticatorMethod = {
  create: async (call, { certPem }) => {
    if (certPem == null) throw invalidField('certPem', 'certPem in body is required for method cert', undefined);
    const { value: [certificate] = [] } = await readCertificates(certPem, 1);
    if (!certificate) throw new ApiError('COULD_NOT_PARSE_PEM_BLOCK');
    const weakness = keyWeakness(certificate.parsed) ?? signatureWeakness(certificate.parsed);
    if (weakness) throw invalidField('certPem', `the certificate is too weak: ${weakness}`, undefined);
    const trust = await issuerOf(call, certificate);
    if (!trust)
      throw invalidField('certPem', 'the certificate was not issued by a certificate authority that this network trusts', undefined);
    return { ...certificateFields(certificate, trust), username: null };
  },
  isAllowed: ({ cert: { allowed } }) => allowed,
  summary: ({ id, fingerprint }) => ({ id, fingerprint }),
  renewal: ({ isIssuedByNetwork, caId }) => (isIssuedByNetwork ? { method: 'ott' } : { method: 'ottca', caId }),
};
