import * as z from 'zod';
import { crud, data, EMPTY, group, hiddenReference, operation, readOnly, reference, resource, string, timestamp } from './kit/index.ts';
import { mfaCode } from './mfa.ts';
import { boolean, envInfo, sdkInfo } from './shared.ts';
import { surfaces } from './surfaces/index.ts';

/** A factor that an API session still lacks, and how to provide it. */
export const authQuery = z
  .object({
    /** The factor: a code, or a token of an external signer. */
    typeId: z.enum(['MFA', 'TOTP', 'EXT-JWT']),
    /** The provider of the factor: `ziti` for codes, `url` for a signer. */
    provider: z.enum(['ziti', 'url']),
    /** Characters allowed in a code. */
    format: z.enum(['numeric', 'alpha', 'alphaNumeric']).optional(),
    /** HTTP method of the request that submits the code. */
    httpMethod: string.optional(),
    /** URL to send the code to, or to get the token from. */
    httpUrl: string.optional(),
    /** Id of the external JWT signer. */
    id: string.optional(),
    /** Client id at the provider of the signer. */
    clientId: string.optional(),
    /** Minimum length of a code. */
    minLength: z.int().optional(),
    /** Maximum length of a code. */
    maxLength: z.int().optional(),
    /** Scopes to request from the provider. */
    scopes: z.array(string).nullable(),
    /** True if an authenticator app is set up; omitted otherwise. */
    isTotpEnrolled: boolean.optional(),
  })
  .meta({ id: 'AuthQuery' });

export type AuthQuery = z.infer<typeof authQuery>;

/** The token claims that are not fields of the session, and the expiry of each token. */
const bearer = z.object({
  clientId: string,
  scopes: z.array(string).readonly(),
  /** Authentication methods (RFC 8176): `password`, `cert`, `ext-jwt`, `totp`, `ejs:<signer id>`. */
  amr: z.array(string).readonly(),
  /** Seconds since 1970. */
  authTime: z.int(),
  /** SHA-1 in hex, and SHA-256, of the certificate of the login. */
  certificate: z.object({ fingerprint: string, sha256: string }).nullable(),
  /** Address of the client when it began to log in, `host:port` or `host`. */
  address: string,
  envInfo,
  sdkInfo,
  /** The tokens: id, type (`a`: access, `r`: refresh) and expiry (seconds since 1970). */
  tokens: z.array(z.object({ id: string, is: z.enum(['a', 'r']), exp: z.int() })).readonly(),
});

export type Bearer = z.infer<typeof bearer>;

/** The `authenticatorId` of a session whose login used an external id in a certificate. */
export const BY_EXTERNAL_ID = 'internal';
const BY_SIGNER = 'extJwtId:';
/** The `authenticatorId` of a session whose login used a token of an external signer. */
export const bySigner = (signerId: string): string => `${BY_SIGNER}${signerId}`;
/** The id of the signer in such an `authenticatorId`; undefined in any other. */
export const signerIn = (value: string): string | undefined => (value.startsWith(BY_SIGNER) ? value.slice(BY_SIGNER.length) : undefined);
/** True for an `authenticatorId` that does not refer to an authenticator. */
export const needsNoAuthenticator = (value: string): boolean => value === BY_EXTERNAL_ID || value.startsWith(BY_SIGNER);

export const apiSession = resource({
  kind: 'apiSession',
  collection: 'api-sessions',
  right: 'ops',
  names: ['APISession', 'APISessions'],
  nouns: ['API session', 'API sessions'],
  about:
    'An API session is the result of a login. It authenticates an identity until the session is deleted or has been idle for too long, or the identity is disabled or deleted.',
  fields: {
    /** Id of the identity that logged in. */
    identityId: reference('identity', { write: 'never', onDelete: 'cascade', filter: 'identity' }),
    /** Id of the authenticator, or `internal` or `extJwtId:<signer>` if the login used none. */
    authenticatorId: reference('authenticator', {
      write: 'never',
      onDelete: 'cascade',
      alone: true,
      filter: 'authenticator',
      standIn: needsNoAuthenticator,
    }),
    /** SHA-256 of the token; null if signed tokens represent the session. The token itself is stored only in sessions, encrypted. */
    tokenHash: readOnly(string, { keep: 'hidden', unique: true }),
    /** The token, if it is the caller's own session; otherwise the id of the session, which is not a credential. */
    token: readOnly(string, { keep: 'computed' }),
    /** Address that the login came from. */
    ipAddress: readOnly(string, { filter: true, default: '' }),
    /** Config types whose data the session receives with services. */
    configTypes: readOnly(z.array(string), { default: [] }),
    /** The factors that the session still needs before it is fully authenticated. */
    authQueries: readOnly(z.array(authQuery), { keep: 'computed' }),
    /** True if the session must pass a second factor. */
    isMfaRequired: readOnly(boolean, { filter: 'mfaRequired', default: false }),
    /** True if the session has passed the second factor. */
    isMfaComplete: readOnly(boolean, { filter: 'mfaComplete', default: false }),
    /** When this session last submitted a valid code for the current MFA of its identity. */
    mfaPassedAt: readOnly(timestamp, { keep: 'hidden' }),
    /** True if the certificate of the login can be extended: an authority of this network issued it. */
    isCertExtendable: readOnly(boolean, { default: false }),
    /** Set if the identity logged in with an external id in a certificate of this CA, without an authenticator. */
    caId: hiddenReference('ca', 'cascade'),
    /** True if the client has been asked to extend its certificate. */
    isCertExtendRequested: readOnly(boolean, { absent: true, default: false }),
    /** True if the extended certificate must have a new key. */
    isCertKeyRollRequested: readOnly(boolean, { absent: true, default: false }),
    /** True if the client omitted intermediate certificates that the controller could supply. */
    improperClientCertChain: readOnly(boolean, { filter: true, absent: true, default: false }),
    /** When the session was last used, according to the store. */
    lastActivityAt: readOnly(timestamp, { filter: true, index: true, volatile: true }),
    /** When the endpoint of this session last reported that it woke up. */
    wokenAt: readOnly(timestamp, { keep: 'hidden' }),
    /** When the endpoint of this session last reported that it was unlocked. */
    unlockedAt: readOnly(timestamp, { keep: 'hidden' }),
    /** The client's software, as reported at login. */
    sdkInfo: readOnly(sdkInfo, { keep: 'hidden' }),
    /** True if signed tokens of the OpenID provider represent the session. Such sessions are not listed. */
    isBearer: readOnly(boolean, { keep: 'hidden', default: false, index: true }),
    /** When a session without an idle timeout ends: at the expiry of its last token. */
    endsAt: readOnly(timestamp, { keep: 'hidden', index: true }),
    /** Ids (`jti`) of the valid tokens: any other token is used up or revoked. */
    tokenIds: { ...readOnly(z.array(string).readonly(), { keep: 'hidden', default: [] }), set: { of: 'values' } },
    /** The other claims of the tokens, and the expiry of each token. */
    bearer: readOnly(bearer, { keep: 'hidden' }),
    /** True for an administrator's session that reaches services. Routers receive its token, so it has no rights on the management API. */
    isKnownToRouters: readOnly(boolean, { keep: 'hidden', default: false }),
    /** When the session was last used, as far as this controller knows. */
    cachedLastActivityAt: readOnly(timestamp, { keep: 'computed' }),
  },
  subLinks: ['sessions'],
  symbols: { token: { secret: 'string', hashedAs: 'tokenHash' } },
});

/** A session as its owner sees it, with its token and its expiry. */
export const currentApiSessionDetail = z
  .intersection(
    apiSession.schemas.detail,
    z.object({
      expirationSeconds: z.int().meta({ description: 'Seconds of inactivity left.' }),
      /** When the session ends unless it is used. */
      expiresAt: timestamp,
    }),
  )
  .meta({ id: 'CurrentAPISessionDetail' });

export const apiSessions = group(
  'apiSessions',
  'API sessions',
  crud(apiSession, {
    except: ['create', 'replace', 'patch'],
    operationIds: { get: 'detailAPISessions', delete: 'deleteAPISessions' },
    denied: { delete: 403 },
    presentOnly: true,
  }),
);

/** Proof that the session has passed a second factor. */
const totpToken = z
  .object({
    /** When it was issued. */
    issuedAt: timestamp,
    /** A JWT. */
    token: string,
  })
  .meta({ id: 'TotpToken' });

/** The last change to the services of a session. */
const serviceUpdates = z
  .object({
    /** ISO 8601, UTC. */
    lastChangeAt: timestamp,
  })
  .meta({ id: 'ServiceUpdates' });

const onBothApis = { permission: 'partial', surfaces: [surfaces.management, surfaces.client] } as const;

export const currentApiSession = group('currentApiSession', 'Current API session', {
  get: operation('GET', '/current-api-session', {
    operationId: 'getCurrentAPISession',
    summary: 'Get the current API session',
    answer: data(currentApiSessionDetail),
    byToken: true,
    ...onBothApis,
  }),
  delete: operation('DELETE', '/current-api-session', {
    operationId: 'deleteCurrentAPISession',
    summary: 'Log out: end the current API session',
    answer: EMPTY,
    ...onBothApis,
  }),
  getServiceUpdates: operation('GET', '/current-api-session/service-updates', {
    operationId: 'listServiceUpdates',
    summary: 'Get the time of the last change to the services that this session may use',
    permission: 'session',
    surfaces: [surfaces.client],
    answer: data(serviceUpdates),
  }),
  createTotpToken: operation('POST', '/current-api-session/totp-token', {
    operationId: 'createTotpToken',
    summary: 'Issue a token that proves a second factor to other services; only for sessions with bearer tokens',
    permission: 'session',
    surfaces: [surfaces.management, surfaces.client],
    body: { schema: mfaCode, name: 'mfaValidation' },
    answer: data(totpToken),
    errors: ['INVALID_BACKING_TOKEN_TYPE', 'MFA_INVALID_TOKEN', 'MFA_NOT_ENROLLED'],
  }),
});
