/** The OpenID provider. */
import * as z from 'zod';
import { FORM_TYPE, HTML_TYPE, TEXT_TYPE } from '../wire/media-types.ts';
import { data, group, operation } from './kit/index.ts';
import {
  authorizeFields,
  authorizeForm,
  discovery,
  endSessionFields,
  endSessionForm,
  health,
  introspection,
  keySet,
  tokenAnswer,
  tokenForm,
  tokenParameters,
  userinfo,
} from './oidc-schemas.ts';
import { shortText } from './shared.ts';
import { surfaces } from './surfaces/index.ts';

const open = { permission: 'open', surfaces: [surfaces.oidc], errors: ['NOT_FOUND'] } as const;
const form = { media: [FORM_TYPE], required: false } as const;
const redirected = { is: 'response', contentTypes: [TEXT_TYPE, HTML_TYPE] } as const;

const authorize = {
  summary: 'Start a login: redirects to its first step, or back to the client with an error',
  answer: redirected,
  ...open,
  errors: ['NOT_FOUND', 'RATE_LIMITED', 'SERVER_TOO_MANY_REQUESTS'],
} as const;
const getUserinfo = {
  summary: 'Get the claims about the bearer of an access token',
  answer: data(userinfo),
  ...open,
  errors: ['NOT_FOUND', 'UNAUTHORIZED'],
} as const;
const revoke = {
  summary: 'Revoke a token (RFC 7009); revoking a refresh token ends its session',
  body: { schema: tokenParameters, name: 'token', ...form },
  answer: { is: 'response', contentTypes: [TEXT_TYPE] },
  ...open,
  errors: ['NOT_FOUND', 'INVALID_CLIENT'],
} as const;
const endSession = {
  summary: 'Log out: end the session, and redirect back to the client',
  answer: redirected,
  ...open,
} as const;

export const oidc = group('oidc', 'The OpenID provider', {
  discover: operation('GET', '/.well-known/openid-configuration', {
    operationId: 'oidcDiscover',
    summary: 'Get the metadata of the provider',
    answer: data(discovery),
    ...open,
  }),
  listKeys: operation('GET', '/keys', {
    operationId: 'oidcListKeys',
    summary: 'Get the public keys that verify tokens of the provider',
    answer: data(keySet),
    ...open,
  }),
  authorize: operation('GET', '/authorize', { operationId: 'oidcAuthorize', query: z.object(authorizeFields), ...authorize }),
  authorizeByForm: operation('POST', '/authorize', {
    operationId: 'oidcAuthorizeByForm',
    query: z.object(authorizeFields),
    body: { schema: authorizeForm, name: 'authorize', ...form },
    ...authorize,
  }),
  callback: operation('GET', '/authorize/callback', {
    operationId: 'oidcCallback',
    summary: 'Finish a login: redirects back to the client, with a code if the login is complete',
    query: z.object({
      /** The id of the login. */
      id: shortText.optional(),
      /** The key that the browser received when it completed the login on a login page. */
      key: shortText.optional(),
    }),
    answer: redirected,
    ...open,
    errors: ['NOT_FOUND', 'SERVER_TOO_MANY_REQUESTS'],
  }),
  token: operation('POST', '/oauth/token', {
    operationId: 'oidcToken',
    summary: 'Get tokens for a code, a refresh token, or another token (RFC 8693)',
    body: { schema: tokenForm, name: 'token', ...form },
    answer: data(tokenAnswer),
    ...open,
    errors: [
      'NOT_FOUND',
      'ACCESS_DENIED',
      'COULD_NOT_PROCESS_CSR',
      'INVALID_CLIENT',
      'INVALID_GRANT',
      'INVALID_SCOPE',
      'UNSUPPORTED_GRANT_TYPE',
    ],
  }),
  getUserinfo: operation('GET', '/userinfo', { operationId: 'oidcGetUserinfo', ...getUserinfo }),
  postUserinfo: operation('POST', '/userinfo', { operationId: 'oidcPostUserinfo', ...getUserinfo }),
  introspect: operation('POST', '/oauth/introspect', {
    operationId: 'oidcIntrospect',
    summary: 'Introspect a token of this provider (RFC 7662): get its validity and claims. The client authenticates with HTTP Basic',
    body: { schema: tokenParameters, name: 'token', ...form },
    answer: data(introspection),
    ...open,
    errors: ['NOT_FOUND', 'INVALID_CLIENT'],
  }),
  revoke: operation('POST', '/revoke', { operationId: 'oidcRevoke', ...revoke }),
  revokeAlias: operation('POST', '/oauth/revoke', { operationId: 'oidcRevokeAlias', ...revoke }),
  endSession: operation('GET', '/end_session', { operationId: 'oidcEndSession', query: z.object(endSessionFields), ...endSession }),
  endSessionByForm: operation('POST', '/end_session', {
    operationId: 'oidcEndSessionByForm',
    query: z.object(endSessionFields),
    body: { schema: endSessionForm, name: 'endSession', ...form },
    ...endSession,
  }),
  loggedOut: operation('GET', '/logged-out', {
    operationId: 'oidcLoggedOut',
    summary: 'Get the page that is shown after a logout without a redirect',
    answer: redirected,
    ...open,
  }),
  getHealth: operation('GET', '/healthz', {
    operationId: 'oidcHealth',
    summary: 'Check whether the provider is running',
    answer: data(health),
    ...open,
  }),
  getReady: operation('GET', '/ready', {
    operationId: 'oidcReady',
    summary: 'Check whether the provider is ready for requests',
    answer: data(health),
    ...open,
  }),
});
