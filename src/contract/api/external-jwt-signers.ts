import * as z from 'zod';
import { readPointer } from '../../query/json-pointer.ts';
import {
  crud,
  data,
  entityReference,
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
  textUpTo,
  timestamp,
} from './kit/index.ts';
import { blankIsNull, boolean, isWebAddress, name, notBlank, pem, policyId, shortText } from './shared.ts';
import { surfaces } from './surfaces/index.ts';

/** The validity dates of a signer without a certificate. */
const NO_DATE = '0001-01-01T00:00:00.000Z';

const targetToken = z.enum(['ACCESS', 'ID']).meta({ description: 'The token of the provider that clients must send.' });

const webAddress = shortText.refine(isWebAddress, 'must be an http or https address').meta({ format: 'uri' });
const webAddressOrBlank = shortText
  .refine((value) => value.trim() === '' || isWebAddress(value), 'must be an http or https address')
  .transform((value): string | null => (value.trim() === '' ? null : value))
  .meta({ format: 'uri' });
const claim = shortText
  .refine(
    (value) => !value.startsWith('/') || readPointer(value) !== undefined,
    'must be the name of a claim or a JSON Pointer (RFC 6901), where ~ is escaped as ~0',
  )
  .transform((value) => (value.trim() === '' ? 'sub' : value));

const nameSelector = shortText.transform((value) => (value.trim() === '' ? '/sub' : value));

/** Fields that unauthenticated clients see as well. */
const shared = {
  name: required(name, { unique: true, filter: true }),
  /** The `aud` that tokens must have. */
  audience: required(notBlank, { filter: true }),
  /** Address at which users log in to get a token. */
  externalAuthUrl: optional(webAddressOrBlank),
  /** Id of the client at the provider. */
  clientId: optional(shortText, { filter: true }),
  /** Scopes that clients request from the provider. */
  scopes: texts(),
  targetToken: optional(targetToken, { default: 'ACCESS', filter: true }),
  /** True if a token together with a certificate request enrolls an identity, for which the network issues a certificate. */
  enrollToCertEnabled: optional(boolean, { default: false, filter: true, since: '2.0' }),
  /** True if a token alone enrolls an identity, which then logs in with tokens of the signer. */
  enrollToTokenEnabled: optional(boolean, { default: false, filter: true, since: '2.0' }),
} as const;

export const externalJwtSigner = resource({
  kind: 'externalJwtSigner',
  collection: 'external-jwt-signers',
  names: ['ExternalJwtSigner', 'ExternalJwtSigners'],
  nouns: ['external JWT signer', 'external JWT signers'],
  about:
    'An external JWT signer is an identity provider whose tokens authenticate identities. Tokens are matched to it by issuer, and verified with its keys.',
  fields: {
    ...shared,
    /** The `iss` that tokens must have. */
    issuer: required(notBlank, { unique: true, filter: true }),
    /** True if identities may log in with tokens of the signer. */
    enabled: required(boolean, { filter: true, index: true }),
    /** A certificate whose key signs tokens. Exactly one of `certPem` and `jwksEndpoint` must be set. */
    certPem: optional(pem),
    jwksEndpoint: {
      ...optional(
        webAddress.meta({
          description:
            'The address of the JSON Web Key Set. Shown only to administrators, and only if the setting `showJwksEndpoints` is on.',
        }),
      ),
      keep: 'hidden',
      disclosable: true,
    },
    /** The key id (`kid`) by which tokens refer to the certificate. Default: its fingerprint. */
    kid: optional(blankIsNull, { unique: true, filter: true }),
    /**
     * The claim that identifies the bearer: its name, or a JSON Pointer to it (RFC 6901) such as `/kubernetes.io~1name`. A value without a
     * leading `/` is the name of a claim if the token has such a claim, and otherwise a pointer without its first `/`.
     */
    claimsProperty: optional(claim, { default: 'sub', filter: true }),
    /** True if the claim contains the `externalId` of an identity, false if it contains the id. */
    useExternalId: optional(boolean, { default: false, filter: true }),
    /**
     * True if `externalId` is compared case-insensitively, as for email addresses. If several identities match, the exact match is used.
     */
    ignoreExternalIdCase: optional(boolean, { absent: true, default: false }),
    /** The claim that contains the name of an enrolling identity, in the notation of `claimsProperty`. */
    enrollNameClaimsSelector: optional(nameSelector, { default: '/sub', filter: true, since: '2.0' }),
    /**
     * The claim that contains the role attributes of an enrolling identity, a string or a list of strings, in the notation of
     * `claimsProperty`. Default: none.
     */
    enrollAttributeClaimsSelector: optional(blankIsNull, { absent: true, filter: true, since: '2.0' }),
    /** Id of the auth policy of enrolled identities. It must allow the login method for which they enroll. */
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
     * True if a delegate last wrote the fields that determine which identities the signer authenticates. The signer then authenticates
     * neither administrators nor identities with permissions: only administrators may vouch for those.
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

/** A token of an identity provider, to be checked without a login. */
const tokenBody = z
  .strictObject({
    token: textUpTo(16_384).meta({ description: 'The token, a signed JWT. It is neither stored nor logged.' }),
  })
  .meta({ id: 'ExternalTokenToCheck' });

/** The result of checking a token without a login. */
const tokenCheck = z
  .object({
    /** True if the token would log an identity in now. */
    isAccepted: boolean,
    reason: string.optional().meta({
      description: 'If not accepted: the reason, as in events of failed authentications, e.g. `audience`, `expired` or `unknown`.',
    }),
    /** The reason as a sentence. */
    message: string,
    /** The signer with the issuer of the token. */
    signer: entityReference.optional(),
    subject: string.optional().meta({ description: 'The value of the claim `claimsProperty` of the signer, if the signature is right.' }),
    /** The identity that the token names. */
    identity: entityReference.optional(),
  })
  .meta({ id: 'ExternalTokenCheck' });

/** The issuer whose metadata is to be read. */
const discoveryBody = z
  .strictObject({
    /** The `iss` of the tokens of the provider. */
    issuer: webAddress,
  })
  .meta({ id: 'ProviderToDiscover' });

/** The addresses of an OpenID provider, from its metadata. */
const discoveredProvider = z
  .object({
    /** True if the metadata is published by the issuer, and names its keys. */
    isFound: boolean,
    /** The result as a sentence. */
    message: string,
    /** Address of the JSON Web Key Set. */
    jwksEndpoint: string.optional(),
    /** Address at which users log in. */
    externalAuthUrl: string.optional(),
  })
  .meta({ id: 'DiscoveredProvider' });

export const externalJwtSigners = group('externalJwtSigners', 'External JWT signers', {
  ...crud(externalJwtSigner, {
    errors: {
      create: ['INVALID_CERT_PEM', 'REFERENCED_ENTITY_NOT_FOUND'],
      replace: ['INVALID_CERT_PEM', 'REFERENCED_ENTITY_NOT_FOUND'],
      patch: ['INVALID_CERT_PEM', 'REFERENCED_ENTITY_NOT_FOUND'],
      delete: ['CAN_NOT_DELETE_REFERENCED_ENTITY'],
    },
  }),
  checkToken: operation('POST', '/external-jwt-signers/check-token', {
    operationId: 'checkExternalToken',
    summary: 'Check whether a token of an identity provider would log an identity in, and if not, why; no session is created',
    permission: 'external-jwt-signer.read',
    shows: ['identity'],
    standalone: 'it changes nothing',
    surfaces: [surfaces.extensions],
    body: { schema: tokenBody, name: 'token' },
    answer: data(tokenCheck),
  }),
  discover: operation('POST', '/external-jwt-signers/discover', {
    operationId: 'discoverProvider',
    summary: 'Read the addresses of an OpenID provider from its metadata (OpenID Connect Discovery 1.0)',
    permission: 'external-jwt-signer.create',
    standalone: 'it changes nothing',
    surfaces: [surfaces.extensions],
    body: { schema: discoveryBody, name: 'provider' },
    answer: data(discoveredProvider),
  }),
});

/** An enabled signer as unauthenticated clients see it: the fields that they need to get a token. */
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

export const publicExternalJwtSigners = group('publicExternalJwtSigners', 'External JWT signers available to clients', {
  list: operation('GET', '/external-jwt-signers', {
    operationId: 'listExternalJwtSigners',
    summary: 'List the external JWT signers that are enabled',
    permission: 'open',
    surfaces: [surfaces.client],
    query: listQuery,
    answer: page(publicExternalJwtSigner.schemas.detail),
  }),
});
