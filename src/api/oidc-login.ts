/** The steps of a login by the OpenID provider, for browsers (pages and forms) and for SDKs (JSON). */
import * as z from 'zod';
import { FORM_TYPE, HTML_TYPE, JSON_TYPE, TEXT_TYPE } from '../wire/media-types.ts';
import { authQuery } from './api-sessions.ts';
import { data, group, list, operation, string, textUpTo, timestamp } from './kit/index.ts';
import { boolean, envInfo, sdkInfo, shortText } from './shared.ts';
import { surfaces } from './surfaces/index.ts';

const { shape: env } = envInfo;
const { shape: sdk } = sdkInfo;

/** The input of a login step. Forms send the members of `envInfo` and `sdkInfo` as separate fields. */
const step = z
  .object({
    /** The id of the auth request, unless it is in the query. */
    id: shortText.optional(),
    /** For a login by password. */
    username: shortText.optional(),
    /** For a login by password. */
    password: shortText.optional(),
    /** A code of the second factor: TOTP, or a recovery code. */
    code: shortText.optional(),
    /** Config types, by id or name, whose data services show to the session; `all` for every type. */
    configTypes: z.union([list(shortText, 1000), shortText]).optional(),
    /** A certificate request (PKCS#10) in PEM, with the credentials: the tokens come with a certificate for its key, and are bound to it. */
    csrPem: textUpTo(4096).optional(),
    /** The environment of the client; stored with the identity. */
    envInfo: envInfo.optional(),
    /** The software of the client; stored with the identity. */
    sdkInfo: sdkInfo.optional(),
    /** Architecture of the processor. */
    envArch: env.arch,
    /** Domain that the machine has joined. */
    envDomain: env.domain,
    /** Name of the machine. */
    envHostname: env.hostname,
    /** Operating system. */
    envOs: env.os,
    /** Release of the operating system. */
    envOsRelease: env.osRelease,
    /** Version of the operating system. */
    envOsVersion: env.osVersion,
    /** Name of the application. */
    sdkAppId: sdk.appId,
    /** Another spelling of `sdkAppId`, which some clients use. */
    sdkAppID: sdk.appId,
    /** Version of the application. */
    sdkAppVersion: sdk.appVersion,
    /** Branch that the SDK was built from. */
    sdkBranch: sdk.branch,
    /** Commit that the SDK was built from. */
    sdkRevision: sdk.revision,
    /** Name of the SDK. */
    sdkType: sdk.type,
    /** Version of the SDK. */
    sdkVersion: sdk.version,
  })
  .meta({ id: 'OidcLoginStep' });
export type LoginStep = z.infer<typeof step>;

/** The query parameters of a step, which may carry the id of the auth request in place of the body. */
const query = z.object({
  /** The id of the auth request. */
  authRequestID: shortText.optional(),
  /** The same as `authRequestID`. */
  id: shortText.optional(),
});

/** The factors that a login still needs; null before the primary login, and if none remain. */
const queries = z
  .object({
    /** The missing factors, and how to provide them. */
    authQueries: z.array(authQuery).nullable(),
  })
  .meta({ id: 'OidcAuthQueries' });

/** A new TOTP enrollment. */
const totpEnrollment = z
  .object({
    /** Id of the enrollment. */
    id: string,
    /** When it began: ISO 8601, UTC. */
    createdAt: timestamp,
    /** When it last changed: ISO 8601, UTC. */
    updatedAt: timestamp,
    /** False, until a first code confirms the enrollment. */
    isVerified: boolean,
    provisioningUrl: string.meta({ description: 'The secret as an `otpauth:` address.' }),
    /** Each is valid once. */
    recoveryCodes: z.array(string),
  })
  .meta({ id: 'OidcTotpEnrollment' });
export type TotpEnrollment = z.infer<typeof totpEnrollment>;

const open = { permission: 'open', surfaces: [surfaces.oidcLogin] } as const;
const body = {
  schema: step,
  name: 'login',
  media: [JSON_TYPE, FORM_TYPE],
  required: false,
  unsupported: 'UNSUPPORTED_MEDIA_TYPE',
} as const;
/** JSON for programs, a page for browsers, or a redirect to the next step. */
const answer = { is: 'response', contentTypes: [JSON_TYPE, HTML_TYPE] } as const;
const page = { is: 'response', contentTypes: [HTML_TYPE, TEXT_TYPE] } as const;
/** Errors of every step: an unknown host, an unsupported body, or a caller that may not take the step. */
const refusals = ['NOT_FOUND', 'UNSUPPORTED_MEDIA_TYPE', 'UNAUTHORIZED'] as const;

const pageOf = (path: `/${string}`, operationId: string) =>
  operation('GET', path, { operationId, summary: 'The page of this step', query, answer: page, ...open, errors: ['NOT_FOUND'] });
const stepAt = (path: `/${string}`, operationId: string, summary: string) =>
  operation('POST', path, { operationId, summary, query, body, answer, ...open, errors: [...refusals, 'INVALID_AUTH'] });

const BY_PASSWORD = 'Log in by username and password';

export const oidcLogin = group('oidcLogin', 'Logins by the OpenID provider', {
  usernamePage: pageOf('/username', 'oidcUsernamePage'),
  passwordPage: pageOf('/password', 'oidcPasswordPage'),
  certPage: pageOf('/cert', 'oidcCertPage'),
  extJwtPage: pageOf('/ext-jwt', 'oidcExtJwtPage'),
  byUsername: stepAt('/username', 'oidcLoginByUsername', BY_PASSWORD),
  byPassword: stepAt('/password', 'oidcLoginByPassword', BY_PASSWORD),
  byCert: stepAt('/cert', 'oidcLoginByCert', 'Log in by the client certificate of this request'),
  byExtJwt: stepAt('/ext-jwt', 'oidcLoginByExtJwt', 'Log in, or add a factor, by the token of an external JWT signer in `Authorization`'),
  totp: operation('POST', '/totp', {
    operationId: 'oidcLoginTotp',
    summary: 'Give the code of the second factor: TOTP, or a recovery code',
    query,
    body,
    answer,
    ...open,
    errors: [...refusals, 'INVALID_TOTP_CODE'],
  }),
  enrollTotp: operation('POST', '/totp/enroll', {
    operationId: 'oidcLoginEnrollTotp',
    summary: 'Set TOTP up during a login',
    query,
    body,
    answer,
    ...open,
    errors: [...refusals, 'MFA_EXISTS'],
  }),
  removeTotp: operation('DELETE', '/totp/enroll', {
    operationId: 'oidcLoginGiveUpTotp',
    summary: 'Give TOTP up: without a code before it is confirmed, with one then',
    query,
    body,
    answer,
    ...open,
    errors: [...refusals, 'MFA_INVALID_TOKEN'],
  }),
  verifyTotp: operation('POST', '/totp/enroll/verify', {
    operationId: 'oidcLoginVerifyTotp',
    summary: 'Confirm TOTP with a first code, which is the second factor of this login, too',
    query,
    body,
    answer,
    ...open,
    errors: [...refusals, 'MFA_INVALID_TOKEN'],
  }),
  listAuthQueries: operation('GET', '/auth-queries', {
    operationId: 'oidcLoginListAuthQueries',
    summary: 'The factors that a login still owes',
    query,
    answer: data(queries),
    ...open,
    errors: ['NOT_FOUND', 'UNAUTHORIZED'],
  }),
});
