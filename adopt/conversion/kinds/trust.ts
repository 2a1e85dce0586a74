import { type ExternalIdClaim, externalIdClaim } from '../../../src/contract/api/cas.ts';
import { authPolicy, ca, externalJwtSigner } from '../../../src/contract/api/kinds.ts';
import { isWebAddress } from '../../../src/contract/api/shared.ts';
import { type Certificate, readCertificates } from '../../../src/crypto/pki/certificate.ts';
import { subjectHashOf } from '../../../src/identity/cas/trust.ts';
import { readPointer } from '../../../src/query/json-pointer.ts';
import { sortedSet } from '../../../src/query/order.ts';
import type { Former } from '../former.ts';
import { type Adopting, entityOf, mapping } from '../mapping.ts';
import { isoOf, knownIds, textOrNull } from '../values.ts';

export const caMapping = mapping('cas', async (former, adopting) => {
  const { id, name, tags, certPem, isVerified, verificationToken } = former;
  const { value: [certificate] = [] } = await readCertificates(certPem);
  if (!certificate) {
    adopting.lose('certificates', 'its certificate cannot be read');
    return 'their certificate cannot be read';
  }
  return [
    entityOf(ca, id, tags, {
      name,
      certPem,
      fingerprint: certificate.fingerprint,
      subjectHash: subjectHashOf(certificate.subjectKey),
      isVerified,
      verificationToken,
      isAuthEnabled: former.isAuthEnabled,
      isOttCaEnrollmentEnabled: former.isOttCaEnrollmentEnabled,
      isAutoCaEnrollmentEnabled: former.isAutoCaEnrollmentEnabled,
      identityNameFormat: former.identityNameFormat.trim() === '' ? '[caName]-[commonName]' : former.identityNameFormat,
      identityRoles: sortedSet(former.identityRoles),
      externalIdClaim: claimOf(former, adopting) ?? null,
    }),
  ];
});

const claimOf = ({ externalIdClaim: claim }: Former<'cas'>, { lose }: Adopting): ExternalIdClaim | undefined => {
  if (!claim || claim['externalIdClaim.location'] === '') return undefined;
  const { data } = externalIdClaim.safeParse({
    location: claim['externalIdClaim.location'],
    matcher: claim['externalIdClaim.matcher'],
    matcherCriteria: claim['externalIdClaim.matcherCriteria'],
    parser: claim['externalIdClaim.parser'],
    parserCriteria: claim['externalIdClaim.parserSeparator'],
    index: claim['externalIdClaim.index'],
  });
  if (!data) lose('bounds', 'its externalIdClaim is unknown to this release, and is left out');
  return data;
};

const DEFAULT_CLAIM = 'sub';

export const jwtSignerMapping = mapping('externalJwtSigners', async (former, adopting) => {
  const { id, name, tags, enabled } = former;
  const claimsProperty = textOrNull(former.claimsProperty) ?? DEFAULT_CLAIM;
  if (claimsProperty.startsWith('/') && readPointer(claimsProperty) === undefined)
    adopting.lose('claim-pointers', `${claimsProperty} is not a valid JSON pointer`);
  const certificate = await signerCertificate(former.certPem);
  if (certificate === 'unreadable') {
    adopting.lose('certificates', 'its certificate cannot be read');
    return 'their certificate cannot be read';
  }
  return [
    entityOf(externalJwtSigner, id, tags, {
      name,
      issuer: former.issuer ?? '',
      audience: former.audience ?? '',
      enabled,
      certPem: former.certPem || null,
      jwksEndpoint: webAddressOf('jwksEndpoint', former, adopting),
      kid: textOrNull(former.kid),
      claimsProperty,
      useExternalId: former.useExternalId,
      externalAuthUrl: webAddressOf('externalAuthUrl', former, adopting),
      clientId: former.clientId,
      scopes: sortedSet(former.scopes),
      targetToken: former.targetToken === 'ID' ? 'ID' : 'ACCESS',
      enrollToCertEnabled: former.enrollToCertEnabled,
      enrollToTokenEnabled: former.enrollToTokenEnabled,
      enrollNameClaimsSelector: textOrNull(former.enrollNameClaimsSelector) ?? '/sub',
      enrollAttributeClaimsSelector: textOrNull(former.enrollAttributeClaimsSelector),
      enrollAuthPolicyId: enrollPolicyOf(former, adopting),
      ...(certificate !== 'none' && {
        commonName: certificate.commonName ?? '',
        fingerprint: certificate.fingerprint,
        notBefore: isoOf(new Date(certificate.notBefore)),
        notAfter: isoOf(new Date(certificate.notAfter)),
      }),
    }),
  ];
});

/**
 * Reads the certificate of a signer.
 * @returns `none` for a signer with a JWKS endpoint, `unreadable`, or the certificate
 */
export const signerCertificate = async (certPem: string | null): Promise<Certificate | 'none' | 'unreadable'> => {
  if (!certPem) return 'none';
  const { value: [certificate] = [] } = await readCertificates(certPem);
  return certificate ?? 'unreadable';
};

/** Clients open the one in a browser, so that it must not be a script; the controller asks the other. */
const webAddressOf = (
  field: 'externalAuthUrl' | 'jwksEndpoint',
  former: Former<'externalJwtSigners'>,
  { lose }: Adopting,
): string | null => {
  const address = textOrNull(former[field]);
  if (address === null || isWebAddress(address)) return address;
  lose('bounds', `its ${field} is not an http or https address, and is left out`);
  return null;
};

const enrollPolicyOf = ({ enrollAuthPolicyId: id }: Former<'externalJwtSigners'>, { known, lose }: Adopting): string => {
  if (id.trim() === '' || known.authPolicies.has(id)) return id.trim() === '' ? 'default' : id;
  lose('dangling', `there is no auth policy ${id}: the default policy takes its place`);
  return 'default';
};

/**
 * A signer that does not exist is removed. A policy that allowed only such signers then allows no login by token; one that required such a
 * signer allows no login at all.
 */
export const authPolicyMapping = mapping('authPolicies', (former, adopting) => {
  const { id, name, tags } = former;
  const allowedSigners = knownIds(
    former['primary.extJwt.allowedSigners'],
    adopting.known.externalJwtSigners,
    'external JWT signer',
    adopting,
  );
  // An empty list would allow every signer.
  const allowsNone = allowedSigners.length === 0 && former['primary.extJwt.allowedSigners'].length > 0;
  const required = former['secondary.requireExtJwtSigner'] || null;
  const isMissing = required !== null && !adopting.known.externalJwtSigners.has(required);
  if (isMissing) adopting.lose('dangling', `there is no external JWT signer ${required}: the policy allows no login`);
  const requireExtJwtSigner = isMissing ? null : required;
  return [
    entityOf(authPolicy, id, tags, {
      name,
      primary: {
        cert: {
          allowed: !isMissing && former['primary.cert.allowed'],
          allowExpiredCerts: former['primary.cert.allowExpiredCerts'],
        },
        extJwt: { allowed: !isMissing && !allowsNone && former['primary.extJwt.allowed'], allowedSigners },
        updb: {
          allowed: !isMissing && former['primary.updb.allowed'],
          minPasswordLength: Math.max(former['primary.updb.minPasswordLength'], 5),
          requireSpecialChar: former['primary.updb.requireSpecialChar'],
          requireNumberChar: former['primary.updb.requireNumberChar'],
          requireMixedCase: former['primary.updb.requireMixedCase'],
          maxAttempts: Math.max(former['primary.updb.maxAttempts'], 0),
          lockoutDurationMinutes: Math.max(former['primary.updb.lockoutDurationMinutes'], 0),
        },
      },
      secondary: { requireTotp: former['secondary.requireTotp'], requireExtJwtSigner },
      externalJwtSigners: sortedSet([...allowedSigners, ...(requireExtJwtSigner ? [requireExtJwtSigner] : [])]),
    }),
  ];
});
