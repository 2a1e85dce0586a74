/** The steps of a login at the OpenID provider, for browsers (pages and forms) and for SDKs (JSON). */
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
    /** The username, for a login with a password. */
    username: shortText.optional(),
    /** The password, for a login with a password. */
    password: shortText.optional(),
    /** The code of the second factor: a TOTP code or a recovery code. */
    code: shortText.optional(),
    /** Config types, by id or name, whose data the session receives with services; `all` for every type. */
    configTypes: z.union([list(shortText, 1000), shortText]).optional(),
    /**
     * A certificate request (PKCS#10) in PEM, sent with the credentials. The tokens are then issued with a certificate, and bound to it.
     */
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
    /** Alternative spelling of `sdkAppId` that some clients use. */
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

/** The query parameters of a step, which may contain the id of the auth request instead of the body. */
const query = z.object({
  /** The id of the auth request. */
  authRequestID: shortText.optional(),
  /** Alias of `authRequestID`. */
  id: shortText.optional(),
});

/** The factors that a login still needs. */
const queries = z
  .object({
    /** The missing factors, and how to provide them; null before the primary login, and if none are missing. */
    authQueries: z.array(authQuery).nullable(),
  })
  .meta({ id: 'OidcAuthQueries' });

/** A new TOTP enrollment. */
const totpEnrollment = z
  .object({
    /** Id of the enrollment. */
    id: string,
    /** When the enrollment was started: ISO 8601, UTC. */
    createdAt: timestamp,
    /** When the enrollment last changed: ISO 8601, UTC. */
    updatedAt: timestamp,
    /** False until a first code verifies the enrollment. */
    isVerified: boolean,
    provisioningUrl: string.meta({ description: 'The secret as an `otpauth:` URL.' }),
    /** The recovery codes; each is valid once. */
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
  operation('GET', path, { operationId, summary: 'Get the login page of this step', query, answer: page, ...open, errors: ['NOT_FOUND'] });
const stepAt = (path: `/${string}`, operationId: string, summary: string) =>
  operation('POST', path, { operationId, summary, query, body, answer, ...open, errors: [...refusals, 'INVALID_AUTH'] });

const BY_PASSWORD = 'Log in with username and password';

export const oidcLogin = group('oidcLogin', 'Logins at the OpenID provider', {
  usernamePage: pageOf('/username', 'oidcUsernamePage'),
  passwordPage: pageOf('/password', 'oidcPasswordPage'),
  certPage: pageOf('/cert', 'oidcCertPage'),
  extJwtPage: pageOf('/ext-jwt', 'oidcExtJwtPage'),
  byUsername: stepAt('/username', 'oidcLoginByUsername', BY_PASSWORD),
  byPassword: stepAt('/password', 'oidcLoginByPassword', BY_PASSWORD),
  byCert: stepAt('/cert', 'oidcLoginByCert', 'Log in with the client certificate of this request'),
  byExtJwt: stepAt('/ext-jwt', 'oidcLoginByExtJwt', 'Log in or add a factor with the token of an external JWT signer in `Authorization`'),
  totp: operation('POST', '/totp', {
    operationId: 'oidcLoginTotp',
    summary: 'Submit the second factor: a TOTP code or a recovery code',
    query,
    body,
    answer,
    ...open,
    errors: [...refusals, 'INVALID_TOTP_CODE'],
  }),
  enrollTotp: operation('POST', '/totp/enroll', {
    operationId: 'oidcLoginEnrollTotp',
    summary: 'Start a TOTP enrollment during a login',
    query,
    body,
    answer,
    ...open,
    errors: [...refusals, 'MFA_EXISTS'],
  }),
  removeTotp: operation('DELETE', '/totp/enroll', {
    operationId: 'oidcLoginGiveUpTotp',
    summary: 'Cancel a TOTP enrollment; requires a code once the enrollment is verified',
    query,
    body,
    answer,
    ...open,
    errors: [...refusals, 'MFA_INVALID_TOKEN'],
  }),
  verifyTotp: operation('POST', '/totp/enroll/verify', {
    operationId: 'oidcLoginVerifyTotp',
    summary: 'Verify a TOTP enrollment with a first code, which is also the second factor of this login',
    query,
    body,
    answer,
    ...open,
    errors: [...refusals, 'MFA_INVALID_TOKEN'],
  }),
  listAuthQueries: operation('GET', '/auth-queries', {
    operationId: 'oidcLoginListAuthQueries',
    summary: 'List the factors that a login still needs',
    query,
    answer: data(queries),
    ...open,
    errors: ['NOT_FOUND', 'UNAUTHORIZED'],
  }),
});
