/** Errors of the OpenID provider: in the form of OAuth (RFC 6749, 5.2) or, for the steps of a login, as JSON without an envelope. */
import type { ApiError } from '../../errors/index.ts';
import { subcodeOf } from '../../errors/subcode.ts';
import { JSON_TYPE, TEXT_TYPE } from '../../wire/media-types.ts';
import type { ErrorAnswer, ErrorForm } from './envelope.ts';
import { schemaNamed } from './json-schema.ts';

const TEXT = { type: 'string' } as const;

/** OAuth error codes. Any other error of a request is `invalid_request`. */
const OAUTH_ERRORS: Readonly<Partial<Record<ApiError['code'], string>>> = {
  ACCESS_DENIED: 'access_denied',
  INVALID_CLIENT: 'invalid_client',
  INVALID_GRANT: 'invalid_grant',
  INVALID_SCOPE: 'invalid_scope',
  UNSUPPORTED_GRANT_TYPE: 'unsupported_grant_type',
  UNAUTHORIZED: 'invalid_token',
};

/** `{ error, error_description }`. An unsupported media type is reported with status 400, because OAuth clients do not expect 415. */
export const oauthErrors: ErrorForm = {
  contentType: JSON_TYPE,
  write: (error) => {
    const { code, status } = error;
    if (status === 404 || status === 405) return plainText(error);
    const overloaded = status === 429 || status === 503;
    const name = OAUTH_ERRORS[code] ?? (overloaded ? 'temporarily_unavailable' : status >= 500 ? 'server_error' : 'invalid_request');
    return {
      ...(status === 415 ? { status: 400 } : {}),
      body: JSON.stringify({ error: name, error_description: sentenceOf(error) }),
    };
  },
  schema: schemaNamed('OAuthError'),
  components: {
    OAuthError: {
      type: 'object',
      required: ['error'],
      description: 'A refusal in the form of OAuth (RFC 6749, 5.2).',
      properties: { error: TEXT, error_description: TEXT },
    },
  },
};

/** `{ code, message, cause }`, without an envelope. */
export const bareErrors: ErrorForm = {
  contentType: JSON_TYPE,
  write: (error) => {
    const { code, status, message, cause } = error;
    if (subcodeOf(error) === 'ADDRESS_UNKNOWN') return plainText(error);
    if (status === 405) return { contentType: TEXT_TYPE, body: '' };
    // Clients expect other names for these two errors.
    const knownCode = status === 406 ? 'NOT_ACCEPTABLE' : code === 'INVALID_TOTP_CODE' ? 'INVALID TOTP CODE' : code;
    return { body: JSON.stringify({ code: knownCode, message, ...(cause ? { cause } : {}) }) };
  },
  schema: schemaNamed('BareError'),
  components: {
    BareError: {
      type: 'object',
      required: ['code', 'message'],
      description: 'A refusal of a step of a login.',
      properties: { code: TEXT, message: TEXT, cause: { type: 'object' } },
    },
  },
};

/** Unknown paths and methods are reported as plain text, because people may see these errors in a browser. */
const plainText = (error: ApiError): ErrorAnswer => ({ contentType: `${TEXT_TYPE}; charset=utf-8`, body: `${sentenceOf(error)}\n` });

/** The reason in the cause, or the message if there is none. RFC 6749, 5.2 allows neither quotes nor backslashes. */
const sentenceOf = ({ message, cause }: ApiError): string => {
  const reason = cause && ('reason' in cause ? cause.reason : 'message' in cause ? cause.message : undefined);
  return (reason ?? message).replaceAll(/["\\]/g, "'").replaceAll(/[^\x20-\x7e]/g, '?');
};
