import type { ApiError } from '../../errors/index.ts';
import { subcodeOf } from '../../errors/subcode.ts';
import { bearerApiToken } from '../../wire/api-token.ts';
import { SESSION_CHALLENGE } from '../../wire/challenge.ts';

/** The credentials of a caller. Only the host's code can use `system` and `identity`: they cannot be sent over HTTP. */
export type Credentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'system' }
  | { readonly kind: 'identity'; readonly id: string }
  /** `token` is the header `zt-session`. If it is set, `authorization` is used only as a second factor. */
  | {
      readonly kind: 'token';
      readonly token?: string;
      readonly authorization?: string;
      /** True if `token` is an API token that was presented as a bearer. */
      readonly isBearer?: true;
    };

/** The authentication of requests to a surface: the headers with credentials and session data, and the challenge of a 401. */
export interface SessionRule {
  /** Request headers with credentials, in lower case. CORS allows other origins to send them. */
  readonly requestHeaders: readonly string[];
  /** Response headers about the session, in lower case. CORS allows other origins to read them. */
  readonly answerHeaders: readonly string[];
  /** @param request its `header` returns the value of a header by lower-case name */
  readonly credentialsOf: (request: { header(name: string): string | undefined }) => Credentials;
  /**
   * The header `www-authenticate` of a 401 (RFC 9110, 11.6.1); undefined for an answer without that header.
   * @param isAuthenticating true if the session token itself was being verified. Clients log in again if the challenge declares their token
   * invalid, so it must not do that for a session that lacks a right or submitted a wrong password.
   */
  readonly challenge: (refusal: ApiError, credentials: Credentials, isAuthenticating: boolean) => string | undefined;
}

export const ANONYMOUS: Credentials = Object.freeze({ kind: 'none' });

const BEARER = 'Bearer realm="openziti-oidc"';
const NO_TOKEN = 'error="missing" error_description="no matching token was provided"';
const MISSING = `${SESSION_CHALLENGE} ${NO_TOKEN},${BEARER} ${NO_TOKEN}`;

/**
 * The token of an API session in the header `zt-session`, or the token of an external signer as a bearer (RFC 6750). API tokens are
 * accepted as both.
 */
export const ztSession: SessionRule = {
  requestHeaders: ['authorization', 'zt-session'],
  answerHeaders: ['zt-session', 'expiration-seconds', 'expires-at', 'www-authenticate', 'ziti-authenticator-extend-requested'],
  credentialsOf: (request) => {
    const token = request.header('zt-session');
    const authorization = request.header('authorization');
    const bearer = token === undefined ? bearerApiToken(authorization) : undefined;
    if (bearer !== undefined) return { kind: 'token', token: bearer, isBearer: true };
    if (token === undefined) return authorization === undefined ? ANONYMOUS : { kind: 'token', authorization };
    return authorization === undefined ? { kind: 'token', token } : { kind: 'token', token, authorization };
  },
  challenge: (refusal, credentials, isAuthenticating) => {
    if (!isAuthenticating) return undefined;
    const subcode = subcodeOf(refusal);
    if (credentials.kind !== 'token' || subcode === 'TOKEN_MISSING') return MISSING;
    if (credentials.token !== undefined && !credentials.isBearer)
      return `${SESSION_CHALLENGE} error="invalid" error_description="token is invalid"`;
    return subcode === 'TOKEN_EXPIRED'
      ? `${BEARER} error="expired" error_description="token expired"`
      : `${BEARER} error="invalid" error_description="token is invalid"`;
  },
};

/** A surface without sessions: all callers are anonymous, and may call only open operations. */
export const withoutSession: SessionRule = {
  requestHeaders: [],
  answerHeaders: [],
  credentialsOf: () => ANONYMOUS,
  challenge: () => undefined,
};

/**
 * A surface without sessions, where some operations read the header `Authorization`: the name of a client (`Basic`), or a token
 * (`Bearer`).
 */
export const authorizationOnly: SessionRule = {
  requestHeaders: ['authorization'],
  answerHeaders: ['www-authenticate'],
  credentialsOf: (request) => {
    const authorization = request.header('authorization');
    return authorization === undefined ? ANONYMOUS : { kind: 'token', authorization };
  },
  challenge: ({ code }) =>
    code === 'INVALID_CLIENT' ? 'Basic realm="openziti-oidc"' : code === 'UNAUTHORIZED' ? `${BEARER} error="invalid_token"` : undefined,
};
