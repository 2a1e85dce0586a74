import * as z from 'zod';
import {
  createOnly,
  crud,
  EMPTY,
  group,
  operation,
  optional,
  partial,
  preprocess,
  readOnly,
  required,
  requiredOnReplace,
  resource,
  roles,
  string,
} from './kit/index.ts';
import { boolean, name, pem, shortText } from './shared.ts';

const claim = {
  location: z.enum(['COMMON_NAME', 'SAN_URI', 'SAN_EMAIL']).meta({ description: 'The part of the certificate that contains the values.' }),
  matcher: z.enum(['ALL', 'PREFIX', 'SUFFIX', 'SCHEME']).meta({
    description:
      'The values to use. `ALL`: all values; `PREFIX`, `SUFFIX`: values that begin or end with the criteria, which are removed; `SCHEME`: URIs with the scheme in the criteria.',
  }),
  /** Operand of `matcher`. */
  matcherCriteria: shortText,
  parser: z
    .enum(['NONE', 'SPLIT'])
    .meta({ description: '`NONE`: use each value as it is. `SPLIT`: split each value at the separator in `parserCriteria`.' }),
  /** Separator of `parser`. */
  parserCriteria: shortText,
  index: z.int().meta({ description: 'Position of the external id among the resulting values, from 0.' }),
};

/** The claim that selects which part of a certificate is the external id of its identity. */
export const externalIdClaim = z.object(claim).meta({ id: 'ExternalIdClaim' });
export type ExternalIdClaim = z.infer<typeof externalIdClaim>;

/** Changes to a claim: omitted members stay as they are. Null instead of an object removes the claim. */
const claimPatch = partial(claim).meta({ id: 'ExternalIdClaimPatch' });

/** Command-line clients that set no claim send one whose fields are all null. */
const optionalClaim = preprocess((given) => (isEmptyClaim(given) ? undefined : given), externalIdClaim.optional());

const isEmptyClaim = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.entries(value).every(([name, part]) => name in claim && part === null);

/** Default name format of identities that enroll by themselves. */
const DEFAULT_NAME_FORMAT = '[caName]-[commonName]';
const nameFormat = shortText
  .transform((value) => (value.trim() === '' ? DEFAULT_NAME_FORMAT : value))
  .meta({
    description: `Text with the placeholders [caName], [caId], [commonName], [requestedName] and [identityId]; blank means ${DEFAULT_NAME_FORMAT}.`,
  });

export const ca = resource({
  kind: 'ca',
  collection: 'cas',
  names: ['Ca', 'Cas'],
  nouns: ['certificate authority', 'certificate authorities'],
  about:
    'A third-party certificate authority (CA). Once it is verified, identities may enroll and log in with the certificates that it issues.',
  fields: {
    name: required(name, { unique: true, filter: true }),
    certPem: createOnly(pem.meta({ description: 'The certificate of the authority in PEM; others may follow it.' })),
    /** SHA-1 of the certificate in hex. */
    fingerprint: readOnly(string, { unique: true, filter: true }),
    /** SHA-256 of the subject's DER, used to find the issuer of a certificate. */
    subjectHash: readOnly(string, { keep: 'hidden', index: true }),
    /** Role attributes of identities that enroll by themselves. */
    identityRoles: { ...roles(), write: 'required', attributesOf: 'identity' },
    /** Format of the names of identities that enroll by themselves: text with placeholders. */
    identityNameFormat: requiredOnReplace(nameFormat, { default: DEFAULT_NAME_FORMAT }),
    /** True if identities may log in with certificates of this authority. */
    isAuthEnabled: required(boolean, { filter: true }),
    /** True if identities may enroll with a token and a certificate of this authority. */
    isOttCaEnrollmentEnabled: required(boolean, { filter: true }),
    /** True if clients with a certificate of this authority enroll by themselves, without a token. */
    isAutoCaEnrollmentEnabled: required(boolean, { filter: true }),
    /**
     * True if a delegate last wrote the fields that determine which identities the CA authenticates. The CA then authenticates neither
     * administrators nor identities with permissions: only administrators may vouch for those.
     */
    isWrittenByDelegate: readOnly(boolean, { keep: 'hidden', default: false }),
    /** True if its owner has proved possession of its key. */
    isVerified: readOnly(boolean, { default: false, filter: true }),
    /** The common name that the certificate proving possession must have. */
    verificationToken: { ...readOnly(string, { default: '' }), credential: true },
    /**
     * Selects the part of a certificate that is the external id of its identity; omitted if identities are not looked up by external id.
     */
    externalIdClaim: {
      ...optional(optionalClaim, { absent: true }),
      patch: claimPatch.optional().nullable(),
    },
  },
  links: {
    verify: { at: './cas/{id}/verify', while: ['isVerified', false] },
    jwt: { at: './cas/{id}/jwt', while: ['isAutoCaEnrollmentEnabled', true] },
  },
  symbols: { verificationToken: { secret: 'string' } },
});

/** For a claim with the matcher `SCHEME` at a location that holds no URIs. */
const CLAIM_ERRORS = ['REFERENCED_ENTITY_NOT_FOUND'] as const;

export const cas = group('cas', 'Certificate authorities', {
  ...crud(ca, { errors: { create: CLAIM_ERRORS, replace: CLAIM_ERRORS, patch: CLAIM_ERRORS } }),
  verify: operation('POST', '/cas/{id}/verify', {
    operationId: 'verifyCa',
    summary: 'Verify a CA with a certificate that it signed, and whose common name is the verification token of the CA',
    permission: 'ca.update',
    body: { schema: pem, name: 'certificate', media: ['text/plain'] },
    answer: EMPTY,
    errors: [
      'EXPECTED_PEM_CERTIFICATE',
      'COULD_NOT_PARSE_DER_BLOCK',
      'INVALID_COMMON_NAME',
      'CERTIFICATE_FAILED_VALIDATION',
      'CA_ALREADY_VERIFIED',
    ],
  }),
  getJwt: operation('GET', '/cas/{id}/jwt', {
    operationId: 'getCaJwt',
    summary: 'Get the JWT that clients need to enroll with a certificate of this authority',
    permission: 'ca.read',
    answer: { is: 'raw', contentTypes: ['application/jwt'] },
    errors: ['NOT_CONFIGURED'],
  }),
});
