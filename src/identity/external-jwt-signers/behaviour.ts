import { isChanged, isPolicyOfProtected, writtenByDelegate } from '../../call/authentication/vouching.ts';
import { behaviour } from '../../call/behaviour.ts';
import { authPolicy, externalJwtSigner } from '../../contract/api/kinds.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import { ApiError, administratorsOnly, invalidField } from '../../contract/errors/index.ts';
import { readCertificates } from '../../crypto/pki/certificate.ts';
import { keyWeakness } from '../../crypto/pki/strength.ts';
import { isSelector } from '../../crypto/tokens/token.ts';
import type { Entities } from '../../store/entities/entities.ts';

type Signer = RowOf<typeof externalJwtSigner>;

const { commonName, fingerprint, notBefore, notAfter, enrollAuthPolicyId, enrollNameClaimsSelector } = externalJwtSigner.fields;

/** The values of the fields that are derived from a certificate, for a signer without one. */
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

/** The fields that determine the identities that the tokens of a signer authenticate. */
const PROOF_FIELDS = [
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

/** The fields that determine how identities enroll with tokens of a signer. */
const ENROLLMENT_FIELDS = ['enrollAuthPolicyId', 'enrollToCertEnabled', 'enrollToTokenEnabled'] as const;

export const externalJwtSignerBehaviour = behaviour(externalJwtSigner, {
  prepare: async (_call, verb, { certPem }) => {
    if (typeof certPem === 'string') return certificateFieldsOf(certPem);
    return verb === 'patch' ? {} : NO_CERTIFICATE;
  },
  check: async (entities, after, before, call) => {
    requireOneKeySource(after);
    // Signers that an earlier release stored have no values yet.
    const completed = {
      enrollAuthPolicyId: after.enrollAuthPolicyId ?? enrollAuthPolicyId.default,
      enrollNameClaimsSelector: after.enrollNameClaimsSelector ?? enrollNameClaimsSelector.default,
    };
    await requireEnrollmentPolicy(entities, { ...after, ...completed });
    for (const field of ['enrollAttributeClaimsSelector', 'enrollNameClaimsSelector'] as const) {
      const selector = { ...after, ...completed }[field];
      if (selector && !isSelector(selector)) throw invalidField(field, `${field} ${NO_SELECTOR}`, selector);
    }
    const mark = writtenByDelegate(call, PROOF_FIELDS, after, before);
    const written = { ...after, ...completed, ...mark };
    if (written.isWrittenByDelegate || (call.grant.isDelegated && isChanged(ENROLLMENT_FIELDS, written, before)))
      await requireOwnPolicy(entities, written);
    return { ...completed, ...mark };
  },
  present: async (_entities, rows, { core: { settings } }) =>
    settings.showJwksEndpoints ? rows.map(({ jwksEndpoint }) => ({ jwksEndpoint })) : [],
});

const NO_SELECTOR = 'must be the name of a claim or a JSON Pointer (RFC 6901), where ~ is escaped as ~0';

const requireOneKeySource = ({ certPem, jwksEndpoint }: Signer): void => {
  if ((certPem === null) === (jwksEndpoint === null))
    throw new ApiError('REFERENCED_ENTITY_NOT_FOUND', {
      cause: {
        field: 'certPem',
        reason: `a signer must have either certPem or jwksEndpoint, but ${certPem === null ? 'neither is set' : 'both are set'}`,
        value: '***',
      },
    });
};

/** Refuses delegates that let a signer enroll identities under the policy of identities with rights. */
const requireOwnPolicy = async (entities: Entities, signer: Signer): Promise<void> => {
  const { enrollAuthPolicyId, enrollToCertEnabled, enrollToTokenEnabled } = signer;
  if ((enrollToCertEnabled || enrollToTokenEnabled) && (await isPolicyOfProtected(entities, [enrollAuthPolicyId])))
    throw administratorsOnly(
      'only an administrator may let a signer enroll identities under an authentication policy of identities with rights',
    );
};

/**
 * Requires an auth policy that lets enrolled identities log in as they enroll. The policy may change later, so each enrollment checks it
 * again.
 */
const requireEnrollmentPolicy = async (entities: Entities, signer: Signer): Promise<void> => {
  const { enrollAuthPolicyId: id, enrollToCertEnabled, enrollToTokenEnabled } = signer;
  const refused = (reason: string) => invalidField('enrollAuthPolicyId', reason, id);
  const policy = await entities.get(authPolicy, id);
  if (!policy) throw refused('the auth policy does not exist');
  const { cert, extJwt } = policy.primary;
  if (enrollToTokenEnabled && !extJwt.allowed) throw refused('enrollToTokenEnabled requires an auth policy that allows primary.extJwt');
  if (enrollToCertEnabled && !cert.allowed) throw refused('enrollToCertEnabled requires an auth policy that allows primary.cert');
};
