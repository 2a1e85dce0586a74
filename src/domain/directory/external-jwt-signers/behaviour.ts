import { authPolicy, externalJwtSigner } from '../../../api/kinds.ts';
import type { RowOf } from '../../../api/kit/index.ts';
import { isChanged, isPolicyOfProtected, writtenByDelegate } from '../../../authentication/vouching.ts';
import { behaviour } from '../../../call/behaviour.ts';
import type { Entities } from '../../../entities/entities.ts';
import { ApiError, administratorsOnly, invalidField } from '../../../errors/index.ts';
import { readCertificates } from '../../../pki/certificate.ts';
import { keyWeakness } from '../../../pki/strength.ts';
import { isSelector } from '../../../tokens/token.ts';

type Signer = RowOf<typeof externalJwtSigner>;

const { commonName, fingerprint, notBefore, notAfter, enrollAuthPolicyId, enrollNameClaimsSelector } = externalJwtSigner.fields;

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

/** The fields that determine how identities enroll by a signer. */
const ENROLLS = ['enrollAuthPolicyId', 'enrollToCertEnabled', 'enrollToTokenEnabled'] as const;

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
    const mark = writtenByDelegate(call, DECIDES, after, before);
    const written = { ...after, ...completed, ...mark };
    if (written.isWrittenByDelegate || (call.grant.isDelegated && isChanged(ENROLLS, written, before)))
      await requireOwnPolicy(entities, written);
    return { ...completed, ...mark };
  },
  present: async (_entities, rows, { core: { settings } }) =>
    settings.showJwksEndpoints ? rows.map(({ jwksEndpoint }) => ({ jwksEndpoint })) : [],
});

const NO_SELECTOR = 'must be the name of a claim or a JSON Pointer (RFC 6901), in which ~ stands as ~0';

const requireOneKeySource = ({ certPem, jwksEndpoint }: Signer): void => {
  if ((certPem === null) === (jwksEndpoint === null))
    throw new ApiError('REFERENCED_ENTITY_NOT_FOUND', {
      cause: {
        field: 'certPem',
        reason: `a signer has either certPem or jwksEndpoint, and ${certPem === null ? 'neither is given' : 'both are given'}`,
        value: '***',
      },
    });
};

/** A delegate must not let a signer enroll identities under a policy of identities with rights: they would log in as these do. */
const requireOwnPolicy = async (entities: Entities, signer: Signer): Promise<void> => {
  const { enrollAuthPolicyId, enrollToCertEnabled, enrollToTokenEnabled } = signer;
  if ((enrollToCertEnabled || enrollToTokenEnabled) && (await isPolicyOfProtected(entities, [enrollAuthPolicyId])))
    throw administratorsOnly(
      'only an administrator may let a signer enroll identities under an authentication policy of identities with rights',
    );
};

/** Requires an auth policy that lets enrolled identities log in as they enroll. The policy may change later, so each enrollment checks it again. */
const requireEnrollmentPolicy = async (entities: Entities, signer: Signer): Promise<void> => {
  const { enrollAuthPolicyId: id, enrollToCertEnabled, enrollToTokenEnabled } = signer;
  const refused = (reason: string) => invalidField('enrollAuthPolicyId', reason, id);
  const policy = await entities.get(authPolicy, id);
  if (!policy) throw refused('the auth policy could not be found');
  const { cert, extJwt } = policy.primary;
  if (enrollToTokenEnabled && !extJwt.allowed) throw refused('enrollToTokenEnabled requires an auth policy that allows primary.extJwt');
  if (enrollToCertEnabled && !cert.allowed) throw refused('enrollToCertEnabled requires an auth policy that allows primary.cert');
};
