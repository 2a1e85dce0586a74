import { decode } from 'jose/base64url';
import type { Call } from '../../call/call.ts';
import type { ProviderClient } from '../../call/provider.ts';
import { ApiError } from '../../contract/errors/index.ts';
import { providerOf } from './provider.ts';

/**
 * The client of a request, identified in the form or in HTTP Basic (RFC 6749, 2.3.1) with an empty secret, because clients have no secrets.
 * @throws ApiError `INVALID_CLIENT` if the client is missing, unknown or ambiguous, or comes with a secret
 */
export const clientOf = (call: Call, formClientId: string | undefined): ProviderClient => {
  const basic = basicClient(call);
  const id = basic ?? formClientId;
  const client = id === undefined || (formClientId !== undefined && formClientId !== id) ? undefined : providerOf(call).clients.get(id);
  if (!client) throw new ApiError('INVALID_CLIENT');
  return client;
};

/**
 * The client of a request, identified in HTTP Basic only.
 * @throws ApiError `INVALID_CLIENT`
 */
export const basicClientOf = (call: Call): ProviderClient => {
  if (basicClient(call) === undefined) throw new ApiError('INVALID_CLIENT');
  return clientOf(call, undefined);
};

const BASIC = /^Basic +([A-Za-z0-9+/_-]+={0,2})$/i;

/**
 * The client id in HTTP Basic; undefined if the request does not use HTTP Basic.
 * @throws ApiError `INVALID_CLIENT` unless it is a client id with an empty secret
 */
const basicClient = ({ credentials }: Call): string | undefined => {
  const { authorization } = credentials.kind === 'token' ? credentials : { authorization: undefined };
  if (authorization === undefined || !/^Basic\b/i.test(authorization)) return undefined;
  const [, text = ''] = BASIC.exec(authorization) ?? [];
  try {
    const plain = new TextDecoder('utf-8', { fatal: true }).decode(
      decode(text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')),
    );
    const [, id, secret] = /^([^:]*):(.*)$/s.exec(plain) ?? [];
    if (id !== undefined && secret === '') return decodeURIComponent(id.replaceAll('+', ' '));
  } catch {
    // Invalid base64, UTF-8 or percent-encoding.
  }
  throw new ApiError('INVALID_CLIENT');
};
