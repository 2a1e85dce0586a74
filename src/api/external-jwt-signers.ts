import * as z from 'zod';
import { readPointer } from '../query/json-pointer.ts';
import {
  crud,
  group,
  listQuery,
  operation,
  optional,
  page,
  readOnly,
  reference,
  required,
  resource,
  string,
  texts,
  timestamp,
} from './kit/index.ts';
import { blankIsNull, boolean, isWebAddress, name, notBlank, pem, policyId, shortText } from './shared.ts';
import { surfaces } from './surfaces/index.ts';

/** The validity dates of a signer without a certificate. */
const NO_DATE = '0001-01-01T00:00:00.000Z';

const targetToken = z.enum(['ACCESS', 'ID']).meta({ description: 'Which token of the provider clients shall send.' });

const webAddress = shortText.refine(isWebAddress, 'must be an http or https address').meta({ format: 'uri' });
const webAddressOrBlank = shortText
  .refine((value) => value.trim() === '' || isWebAddress(value), 'must be an http or https address')
  .transform((value): string | null => (value.trim() === '' ? null : value))
  .meta({ format: 'uri' });
const claim = shortText
  .refine(
    (value) => !value.startsWith('/') || readPointer(value) !== undefined,
    'must be the name of a claim, or a JSON Pointer (RFC 6901), in which ~ stands as ~0',
  )
  .transform((value) => (value.trim() === '' ? 'sub' : value));

const nameSelector = shortText.transform((value) => (value.trim() === '' ? '/sub' : value));

/** Fields that unauthenticated clients see as well. */
const shared = {
  name: required(name, { unique: true, filter: true }),
  /** The `aud` that tokens must have. */
  audience: required(notBlank, { filter: true }),
  /** Where users log in to get a token. */
  externalAuthUrl: optional(webAddressOrBlank),
  /** Id of the client at the provider. */
  clientId: optional(shortText, { filter: true }),
  /** Scopes that clients request from the provider. */
  scopes: texts(),
  targetToken: optional(targetToken, { default: 'ACCESS', filter: true }),
  /** True if a token and a certificate request create an identity, with a certificate of the network. */
  enrollToCertEnabled: optional(boolean, { default: false, filter: true, since: '2.0' }),
  /** True if a token alone creates an identity, which then logs in with tokens of the signer. */
  enrollToTokenEnabled: optional(boolean, { default: false, filter: true, since: '2.0' }),
} as const;

export const externalJwtSigner = resource({
  kind: 'externalJwtSigner',
  collection: 'external-jwt-signers',
  names: ['ExternalJwtSigner', 'ExternalJwtSigners'],
  nouns: ['external JWT signer', 'external JWT signers'],
  about:
    'An external JWT signer is an identity provider whose tokens authenticate identities: recognised by issuer, and trusted by its keys.',
  fields: {
    ...shared,
    /** The `iss` that tokens must have. */
    issuer: required(notBlank, { unique: true, filter: true }),
    /** True if identities may log in with its tokens. */
    enabled: required(boolean, { filter: true, index: true }),
    /** A certificate whose key signs tokens. Exactly one of `certPem` and `jwksEndpoint` must be set. */
    certPem: optional(pem),
    jwksEndpoint: {
      ...optional(
        webAddress.meta({
          description: 'Where the keys are published. Shown to administrators only where the setting `showJwksEndpoints` is on.',
        }),
      ),
      keep: 'hidden',
      disclosable: true,
    },
    /** Key id (`kid`) of the certificate in tokens; defaults to its fingerprint. */
    kid: optional(blankIsNull, { unique: true, filter: true }),
    /**
     * The claim that identifies the bearer: its name, or a JSON Pointer to it (RFC 6901) such as `/kubernetes.io~1name`. Without a leading `/`, it is the name
     * of a claim if the token has a claim of that name, else a pointer that lacks its first `/`.
     */
    claimsProperty: optional(claim, { default: 'sub', filter: true }),
    /** True if that claim is the `externalId` of an identity, false if it is the id. */
    useExternalId: optional(boolean, { default: false, filter: true }),
    /** True if `externalId` is compared case-insensitively, as for e-mail addresses. If several identities match, only an exact match counts. */
    ignoreExternalIdCase: optional(boolean, { absent: true, default: false }),
    /** The claim with the name of an enrolled identity, selected as by `claimsProperty`. */
    enrollNameClaimsSelector: optional(nameSelector, { default: '/sub', filter: true, since: '2.0' }),
    /** The claim with the role attributes of an enrolled identity, a text or a list of texts, selected as by `claimsProperty`; default: none. */
    enrollAttributeClaimsSelector: optional(blankIsNull, { absent: true, filter: true, since: '2.0' }),
    /** Id of the auth policy of enrolled identities, which must allow them to log in as they enroll. */
    enrollAuthPolicyId: reference('authPolicy', {
      write: 'optional',
      default: 'default',
      schema: policyId,
      unknown: 'byBehaviour',
      alone: true,
      filter: true,
      since: '2.0',
    }),
    /**
     * True if a delegate was the last to write what determines whom it proves: then it proves nobody with permissions, and no administrator. Only
     * administrators may vouch for those.
     */
    isWrittenByDelegate: readOnly(boolean, { keep: 'hidden', default: false }),
    /** Common name of the certificate. */
    commonName: readOnly(string, { default: '', filter: true }),
    /** SHA-1 of the certificate in hex. */
    fingerprint: readOnly(string, { unique: true, filter: true }),
    /** Start of the certificate's validity; the year 1 if there is no certificate. */
    notBefore: readOnly(timestamp, { default: NO_DATE, filter: true }),
    /** End of the certificate's validity; the year 1 if there is no certificate. */
    notAfter: readOnly(timestamp, { default: NO_DATE, filter: true }),
  },
  symbols: { certPem: { path: 'certPem', type: 'string' } },
});

export const externalJwtSigners = group(
  'externalJwtSigners',
  'External JWT signers',
  crud(externalJwtSigner, {
    errors: {
      create: ['INVALID_CERT_PEM', 'REFERENCED_ENTITY_NOT_FOUND'],
      replace: ['INVALID_CERT_PEM', 'REFERENCED_ENTITY_NOT_FOUND'],
      patch: ['INVALID_CERT_PEM', 'REFERENCED_ENTITY_NOT_FOUND'],
      delete: ['CAN_NOT_DELETE_REFERENCED_ENTITY'],
    },
  }),
);

/** An enabled signer as unauthenticated clients see it: where to get a token, and for which audience. */
export const publicExternalJwtSigner = resource({
  kind: 'publicExternalJwtSigner',
  collection: externalJwtSigner.collection,
  names: ['ClientExternalJwtSigner', 'ClientExternalJwtSigners'],
  nouns: ['external JWT signer', 'external JWT signers'],
  about: externalJwtSigner.about,
  view: { of: externalJwtSigner.kind, where: 'enabled' },
  fields: {
    ...shared,
    /** Id of the client at the provider. */
    clientId: optional(shortText, { filter: true, absent: true }),
    enabled: readOnly(boolean, { keep: 'hidden', default: true }),
  },
});

export const publicExternalJwtSigners = group('publicExternalJwtSigners', 'External JWT signers, as clients see them', {
  list: operation('GET', '/external-jwt-signers', {
    operationId: 'listExternalJwtSigners',
    summary: 'List the external JWT signers whose tokens may be used',
    permission: 'open',
    surfaces: [surfaces.client],
    query: listQuery,
    answer: page(publicExternalJwtSigner.schemas.detail),
  }),
});
