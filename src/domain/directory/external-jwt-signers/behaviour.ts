import { externalJwtSigner } from '../../../api/external-jwt-signers.ts';
import { writtenByDelegate } from '../../../authentication/vouching.ts';
import { behaviour } from '../../../call/behaviour.ts';
import { ApiError, invalidField } from '../../../errors/index.ts';
import { readCertificates } from '../../../pki/certificate.ts';
import { keyWeakness } from '../../../pki/strength.ts';

const { commonName, fingerprint, notBefore, notAfter } = externalJwtSigner.fields;

/** The default values of fields that derive from a certificate, for a signer without one. */
const NO_CERTIFICATE = {
  commonName: commonName.default,
  fingerprint: fingerprint.default,
  notBefore: notBefore.default,
  notAfter: notAfter.default,
} as const;

const certificateFieldsOf = async (pem: string) => {
  const { value: [certificate] = [] } = await readCertificates(pem, 1);
  if (!certificate) throw new ApiError('INVALID_CERT_PEM');
  // Only its key matters, not its issuer or its signature.
  const weakness = keyWeakness(certificate.parsed);
  if (weakness) throw invalidField('certPem', `the certificate cannot verify tokens: ${weakness}`, undefined);
  return {
    commonName: certificate.commonName ?? '',
    fingerprint: certificate.fingerprint,
    notBefore: new Date(certificate.notBefore).toISOString(),
    notAfter: new Date(certificate.notAfter).toISOString(),
  };
};

/** The fields that determine whom the tokens of a signer prove. */
const DECIDES = [
  'issuer',
  'audience',
  'certPem',
  'jwksEndpoint',
  'kid',
  'claimsProperty',
  'useExternalId',
  'ignoreExternalIdCase',
  'enabled',
] as const;

export const externalJwtSignerBehaviour = behaviour(externalJwtSigner, {
  prepare: async (_call, verb, { certPem }) => {
    if (typeof certPem === 'string') return certificateFieldsOf(certPem);
    return verb === 'patch' ? {} : NO_CERTIFICATE;
  },
  check: async (_entities, after, before, call) => {
    const { certPem, jwksEndpoint } = after;
    if ((certPem === null) === (jwksEndpoint === null))
      throw new ApiError('REFERENCED_ENTITY_NOT_FOUND', {
        cause: {
          field: 'certPem',
          reason: `a signer has either certPem or jwksEndpoint, and ${certPem === null ? 'neither is given' : 'both are given'}`,
          value: '***',
        },
      });
    return writtenByDelegate(call, DECIDES, after, before);
  },
  present: async (_entities, rows, { core: { settings } }) =>
    settings.showJwksEndpoints ? rows.map(({ jwksEndpoint }) => ({ jwksEndpoint })) : [],
});
