import type { Credentials } from '../call/call.ts';
import { ApiError } from '../errors/index.ts';
import type { Logger } from '../platform/platform.ts';

/**
 * What a caller is told about anything that was thrown. Only what is nobody's mistake but ours is logged, with the id that the caller sees:
 * the answer itself tells no detail.
 */
export const toApiError = (error: unknown, logger: Logger, context: Readonly<Record<string, unknown>>): ApiError => {
  if (error instanceof ApiError) return error;
  logger.error('unhandled error', { ...context, error });
  return new ApiError('UNHANDLED');
};

/**
 * The headers of an error's answer: `retry-after`, and `www-authenticate` for 401. Clients log in again when a challenge says that their token is
 * invalid, so that is said only while the session is being checked (`authenticating`); who lacks a right, or gave a wrong password, gets the bare challenge.
 */
export const refusalHeaders = (error: ApiError, credentials: Credentials, authenticating: boolean): Readonly<Record<string, string>> => ({
  ...(error.status === 401 ? { 'www-authenticate': challenge(error, credentials, authenticating) } : {}),
  ...(error.retryAfter === undefined ? {} : { 'retry-after': String(Math.max(1, Math.ceil(error.retryAfter))) }),
});

const challenge = (error: ApiError, credentials: Credentials, authenticating: boolean): string => {
  if (!authenticating) return SESSION;
  if (credentials.kind !== 'token') return MISSING;
  if (credentials.token !== undefined) return `${SESSION} error="invalid" error_description="token is invalid"`;
  const expired = error.cause !== undefined && 'message' in error.cause && error.cause.message === 'token expired';
  return expired
    ? `${BEARER} error="expired" error_description="token expired"`
    : `${BEARER} error="invalid" error_description="token is invalid"`;
};

const SESSION = 'zt-session realm="zt-session"';
const BEARER = 'Bearer realm="openziti-oidc"';
const NO_TOKEN = 'error="missing" error_description="no matching token was provided"';
const MISSING = `${SESSION} ${NO_TOKEN},${BEARER} ${NO_TOKEN}`;
