import * as z from 'zod';
import {
  CREATED,
  crud,
  data,
  EMPTY,
  group,
  hiddenReference,
  operation,
  optional,
  readOnly,
  reference,
  required,
  resource,
  string,
  tags,
  timestamp,
  writeOnly,
} from './kit/index.ts';
import { boolean, dateTime, password, pem, shortText, username } from './shared.ts';

/** Authenticators as the details of an identity show them, by method. */
const summaries = {
  /** By username and password. */
  updb: z.object({
    /** Id of the authenticator. */
    id: string,
    /** The username. */
    username: string,
  }),
  /** By a client certificate. */
  cert: z.object({
    /** Id of the authenticator. */
    id: string,
    /** SHA-1 of the certificate in hex. */
    fingerprint: string,
  }),
} as const;

const authenticatorMethod = z.enum(Object.keys(summaries) as (keyof typeof summaries)[]); // the keys of the table

/** The authenticators of an identity, by method. */
export const authenticatorSummaries = z.object(summaries).partial().meta({ id: 'IdentityAuthenticators' });

/** Filters accept these names but never match, so that hashes and salts cannot be probed. */
const secret = { secret: 'string' } as const;

export const authenticator = resource({
  kind: 'authenticator',
  collection: 'authenticators',
  names: ['Authenticator', 'Authenticators'],
  about: 'An authenticator is a credential of an identity: a username with a password (updb) or a client certificate (cert).',
  fields: {
    /** Id of the identity that it authenticates. */
    identityId: reference('identity', { write: 'createOnly', onDelete: 'cascade', filter: 'identity' }),
    /** `updb`: username and password; `cert`: a client certificate. */
    method: { ...required(authenticatorMethod, { filter: true }), write: 'createOnly' },
    /** For the method `updb`: the username, unique among authenticators. */
    // Stored usernames are not validated as strictly as input: those of an adopted network may be invalid.
    username: { ...optional(shortText, { unique: true, filter: 'updbUsername', absent: true }), input: username },
    /** For the method `updb`: the password, of which only a hash is stored. */
    password: writeOnly(password),
    passwordHash: readOnly(string, { keep: 'hidden' }),
    /** Number of consecutive wrong passwords. */
    failedAttempts: readOnly(z.int(), { keep: 'hidden', default: 0, volatile: true }),
    /** For the method `cert`: the certificate in PEM. */
    certPem: { ...optional(pem, { absent: true }), write: 'createOnlyOptional' },
    /** For the method `cert`: SHA-1 of the certificate in hex. */
    fingerprint: readOnly(string, { absent: true, unique: true, filter: 'certFingerprint' }),
    /** True if an authority of this network issued the certificate. */
    isIssuedByNetwork: readOnly(boolean, { absent: true, filter: true, default: false }),
    /** True if the client will be asked to extend the certificate at its next login. */
    isExtendRequested: readOnly(boolean, { absent: true, filter: true, default: false }),
    /** True if the extended certificate must have a new key. */
    isKeyRollRequested: readOnly(boolean, { absent: true, filter: true, default: false }),
    /** True if the certificate of the last login chained up to a known root. */
    lastAuthResolvedToRoot: readOnly(boolean, { absent: true, filter: true, default: false, volatile: true }),
    /** When the extension was requested. */
    extendRequestedAt: readOnly(timestamp, { absent: true, filter: true }),
    /** The third-party CA that the certificate chains to. */
    caId: hiddenReference('ca', 'cascade'),
    /** Replacement for `certPem` that is not confirmed yet: a chain, leaf first. */
    unverifiedCertPem: readOnly(string, { keep: 'hidden' }),
    /** True if the last extension replaced the key, too. */
    lastExtendRolledKeys: readOnly(boolean, { absent: true, default: false }),
  },
  links: { identities: './identities/{identityId}' },
  symbols: {
    certPem: { path: 'certPem', type: 'string' },
    updbPassword: secret,
    updbSalt: secret,
    publicKeyPrint: secret,
    lastExtendRolledKeys: { path: 'lastExtendRolledKeys', type: 'boolean' },
  },
});

/** Replaces a password authenticator: both username and password are required. */
const replaceBody = z
  .object({
    /** The new username. */
    username,
    /** The new password. */
    password,
    /** User-defined names with values: text, boolean or null. */
    tags: tags.optional(),
  })
  .meta({ id: 'AuthenticatorReplace' });

/** Options of a request to extend a certificate. */
const requestExtension = z
  .object({ rollKeys: boolean.optional().meta({ description: 'True if the new certificate must have a new key. Default false.' }) })
  .meta({ id: 'RequestExtendAuthenticator' });
/** The request for a new certificate. */
const extension = z
  .object({ clientCertCsr: pem.meta({ description: 'A certificate request in PEM; names other than the subject are ignored.' }) })
  .meta({ id: 'IdentityExtendEnrollmentRequest' });
/** A new certificate, not confirmed yet. */
const extended = z
  .object({
    ca: string.meta({ description: 'The CA certificates of the network, in PEM.' }),
    clientCert: string.meta({ description: 'The new certificate and its intermediates, in PEM.' }),
  })
  .meta({ id: 'IdentityExtendCerts' });
/** Confirms that the client has received its new certificate. */
const confirmation = z
  .object({ clientCert: pem.meta({ description: 'The certificate that the extension returned, in PEM; others may follow it.' }) })
  .meta({ id: 'IdentityExtendValidateEnrollmentRequest' });

/**
 * Operations with which an identity replaces its certificate, in two steps, so that the old one stays valid until the client confirms the
 * new one.
 */
export const extending = {
  extend: {
    summary: 'Issue a new certificate for the certificate authenticator with which the request authenticates; the old one stays valid',
    permission: 'session',
    needsCertificate: true,
    body: { schema: extension, name: 'extend' },
    answer: data(extended),
    errors: ['CAN_NOT_UPDATE_AUTHENTICATOR', 'COULD_NOT_PROCESS_CSR'],
  },
  extendVerify: {
    summary: 'Confirm the new certificate, which then replaces the old one',
    permission: 'session',
    body: { schema: confirmation, name: 'extend' },
    answer: EMPTY,
    errors: ['CAN_NOT_UPDATE_AUTHENTICATOR', 'INVALID_CLIENT_CERT'],
  },
} as const;

/** The expiry of the new enrollment. */
const reEnroll = z
  .object({
    /** When the enrollment expires: RFC 3339. */
    expiresAt: dateTime,
  })
  .meta({ id: 'ReEnroll' });

const HASHES = 'it hashes a password, which no transaction may wait for';

export const authenticators = group('authenticators', 'Authenticators', {
  ...crud(authenticator, {
    errors: {
      create: ['MAX_AUTHENTICATOR_METHODS_REACHED', 'COULD_NOT_PARSE_PEM_BLOCK'],
      patch: ['CAN_NOT_UPDATE_AUTHENTICATOR'],
      delete: ['ENTITY_CAN_NOT_BE_DELETED'],
    },
    standalone: { create: HASHES, patch: HASHES },
  }),
  replace: operation('PUT', '/authenticators/{id}', {
    standalone: HASHES,
    operationId: 'updateAuthenticator',
    summary: 'Replace the username and password of an authenticator',
    permission: 'authenticator.update',
    body: { schema: replaceBody, name: 'authenticator' },
    answer: EMPTY,
    errors: ['CAN_NOT_UPDATE_AUTHENTICATOR'],
  }),
  reEnroll: operation('POST', '/authenticators/{id}/re-enroll', {
    operationId: 'reEnrollAuthenticator',
    summary: 'Replace an authenticator with an enrollment: its API sessions end, and its owner must enroll again',
    permission: 'authenticator.update',
    body: { schema: reEnroll, name: 'reEnroll' },
    answer: CREATED,
    errors: ['ENROLLMENT_EXISTS', 'ENTITY_CAN_NOT_BE_DELETED', 'NOT_CONFIGURED'],
  }),
  requestExtend: operation('POST', '/authenticators/{id}/request-extend', {
    operationId: 'requestExtendAuthenticator',
    summary: 'Ask the client to extend its certificate at its next login',
    permission: 'authenticator.update',
    body: { schema: requestExtension, name: 'requestExtendAuthenticator', required: false },
    answer: EMPTY,
    errors: ['CAN_NOT_UPDATE_AUTHENTICATOR'],
  }),
  extend: operation('POST', '/authenticators/{id}/extend', { operationId: 'extendAuthenticator', ...extending.extend }),
  extendVerify: operation('POST', '/authenticators/{id}/extend-verify', {
    operationId: 'extendVerifyAuthenticator',
    ...extending.extendVerify,
  }),
});
