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
  tokenQuestion,
  userinfo,
} from './oidc-schemas.ts';
import { shortText } from './shared.ts';
import { surfaces } from './surfaces/index.ts';

const open = { permission: 'open', surfaces: [surfaces.oidc], errors: ['NOT_FOUND'] } as const;
const form = { media: [FORM_TYPE], required: false } as const;
const redirected = { is: 'response', contentTypes: [TEXT_TYPE, HTML_TYPE] } as const;

const authorize = {
  summary: 'Begin a login: leads to its first step, or back to the client with an error',
  answer: redirected,
  ...open,
  errors: ['NOT_FOUND', 'RATE_LIMITED', 'SERVER_TOO_MANY_REQUESTS'],
} as const;
const getUserinfo = {
  summary: 'Who the bearer of an access token is',
  answer: data(userinfo),
  ...open,
  errors: ['NOT_FOUND', 'UNAUTHORIZED'],
} as const;
const revoke = {
  summary: 'End a token, and with a refresh token its session (RFC 7009)',
  body: { schema: tokenQuestion, name: 'token', ...form },
  answer: { is: 'response', contentTypes: [TEXT_TYPE] },
  ...open,
  errors: ['NOT_FOUND', 'INVALID_CLIENT'],
} as const;
const endSession = {
  summary: 'End a session, and go back to the client',
  answer: redirected,
  ...open,
} as const;

export const oidc = group('oidc', 'The OpenID provider', {
  discover: operation('GET', '/.well-known/openid-configuration', {
    operationId: 'oidcDiscover',
    summary: 'What the provider can do, and where',
    answer: data(discovery),
    ...open,
  }),
  listKeys: operation('GET', '/keys', {
    operationId: 'oidcListKeys',
    summary: 'The public keys that verify its tokens',
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
    summary: 'End a login: leads back to the client, with a code once the login is complete',
    query: z.object({
      /** The id of the login. */
      id: shortText.optional(),
      /** The key of the browser that completed the login, if that was on a page. */
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
    summary: 'Whether a token of this provider is good now, and whose it is (RFC 7662); for clients by HTTP Basic',
    body: { schema: tokenQuestion, name: 'token', ...form },
    answer: data(introspection),
    ...open,
    errors: ['NOT_FOUND', 'INVALID_CLIENT'],
  }),
  revoke: operation('POST', '/revoke', { operationId: 'oidcRevoke', ...revoke }),
  revokeAlias: operation('POST', '/oauth/revoke', { operationId: 'oidcRevokeToo', ...revoke }),
  endSession: operation('GET', '/end_session', { operationId: 'oidcEndSession', query: z.object(endSessionFields), ...endSession }),
  endSessionByForm: operation('POST', '/end_session', {
    operationId: 'oidcEndSessionByForm',
    query: z.object(endSessionFields),
    body: { schema: endSessionForm, name: 'endSession', ...form },
    ...endSession,
  }),
  loggedOut: operation('GET', '/logged-out', {
    operationId: 'oidcLoggedOut',
    summary: 'The page after a logout that leads nowhere else',
    answer: { is: 'response', contentTypes: [TEXT_TYPE, HTML_TYPE] },
    ...open,
  }),
  getHealth: operation('GET', '/healthz', {
    operationId: 'oidcHealth',
    summary: 'Whether the provider runs',
    answer: data(health),
    ...open,
  }),
  getReady: operation('GET', '/ready', {
    operationId: 'oidcReady',
    summary: 'Whether the provider answers',
    answer: data(health),
    ...open,
  }),
});
