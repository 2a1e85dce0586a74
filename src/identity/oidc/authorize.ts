import { utf8ToBytes } from '@noble/hashes/utils.js';
import type { Call } from '../../call/call.ts';
import type { ClientRequest } from '../../contract/api/auth-requests.ts';
import type { AuthorizeFields } from '../../contract/api/oidc-schemas.ts';
import { type HttpOutput, redirect } from '../../contract/api/surfaces/http-output.ts';
import { ApiError } from '../../contract/errors/index.ts';
import { sha256Hex } from '../../crypto/sha256.ts';
import { plainRefusal } from './answers.ts';
import { providerOf, reachedIssuer } from './provider.ts';
import { isAllowedAddress, patternsAt, withParameters } from './redirect-uris.ts';
import { MAX_REQUEST_BYTES, newAuthRequest } from './requests.ts';
import { hintIn } from './tokens.ts';

/** Supported scopes. All others in a request are ignored. */
export const SCOPES: readonly string[] = ['openid', 'profile', 'email', 'phone', 'address', 'offline_access'];

/** The path of the first step, by the parameter `method`. */
const LOGIN_PATHS: Readonly<Record<string, string>> = { password: 'username', cert: 'cert', 'ext-jwt': 'ext-jwt' };
/** Base64url of 32 bytes (RFC 7636, 4.2). */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

/**
 * Begins a login. An invalid client id or redirect URI, and a malformed or oversized request, are reported to the user; all other errors
 * are sent to the client by redirect (RFC 6749, section 4.1.2.1). The response mode is always `query`: a parameter `response_mode` is
 * ignored.
 */
export const beginLogin = async (call: Call, fields: AuthorizeFields): Promise<HttpOutput> => {
  const issuer = await reachedIssuer(call);
  const { client_id: clientId, redirect_uri: redirectUri, max_age: maxAge } = fields;
  if (maxAge !== undefined && !/^\d{1,10}$/.test(maxAge)) return plainRefusal(call, 'max_age must be a number of seconds');
  if (!clientId) return plainRefusal(call, 'client_id is missing');
  if (!redirectUri) return plainRefusal(call, 'redirect_uri is missing');
  const client = providerOf(call).clients.get(clientId);
  if (!client) return plainRefusal(call, 'client_id is not the id of a client of this provider');
  if (!isAllowedAddress(patternsAt(issuer, client.redirectUris), redirectUri))
    return plainRefusal(call, 'redirect_uri is not one of the addresses of this client');
  const fault = await faultOf(call, issuer, fields);
  if (fault) return redirect(withParameters(redirectUri, { error: fault[0], error_description: fault[1], state: fields.state }));
  const [leaf] = call.peerCertificates;
  const request: ClientRequest = {
    clientId,
    redirectUri,
    scopes: scopesIn(fields.scope),
    state: fields.state ?? null,
    nonce: fields.nonce ?? null,
    codeChallenge: fields.code_challenge ?? '',
    configTypes: [fields.configTypes ?? []].flat(),
    address: call.remoteAddress,
    certificate: leaf ? sha256Hex(leaf) : null,
  };
  const { length } = utf8ToBytes(JSON.stringify(request));
  if (length > MAX_REQUEST_BYTES) return plainRefusal(call, `the request has ${length} bytes: the maximum is ${MAX_REQUEST_BYTES}`);
  const retryAfter = providerOf(call).beginnings.take(call.remoteAddress);
  if (retryAfter > 0) throw new ApiError('RATE_LIMITED', { retryAfter: Math.ceil(retryAfter) });
  const { id } = await newAuthRequest(call, request);
  const method = LOGIN_PATHS[fields.method ?? ''] ?? (call.peerCertificates.length > 0 ? 'cert' : 'username');
  return redirect(`${issuer}/login/${method}?authRequestID=${id}`);
};

type Fault = readonly [error: string, description?: string];

const faultOf = async (call: Call, issuer: string, fields: AuthorizeFields): Promise<Fault | undefined> => {
  const prompts = (fields.prompt ?? '').split(' ').filter(Boolean);
  if (prompts.includes('none'))
    return prompts.length > 1 ? ['invalid_request', 'prompt none cannot be combined with another'] : ['login_required'];
  if (!fields.scope) return ['invalid_request', 'scope is missing'];
  if (!fields.response_type) return ['invalid_request', 'response_type is missing'];
  if (fields.response_type !== 'code') return ['unauthorized_client', 'response_type must be code'];
  if (fields.id_token_hint !== undefined && !(await hintIn(call, issuer, fields.id_token_hint)))
    return ['login_required', 'id_token_hint must be an id token of this provider'];
  if (fields.request !== undefined) return ['request_not_supported', 'request objects are not supported'];
  if (fields.request_uri !== undefined) return ['request_uri_not_supported', 'request objects are not supported'];
  if (fields.code_challenge_method !== 'S256' || !CHALLENGE.test(fields.code_challenge ?? ''))
    return ['invalid_request', 'code_challenge is required, with code_challenge_method S256'];
  return undefined;
};

const scopesIn = (scope: string | undefined): readonly string[] => [
  ...new Set((scope ?? '').split(' ').filter((name) => SCOPES.includes(name))),
];
