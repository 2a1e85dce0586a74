import type { Credentials } from '../api/surfaces/session-rule.ts';
import type { Surface } from '../api/surfaces/surface.ts';
import { ApiError, retryAfterHeader } from '../errors/index.ts';
import type { Logger } from '../platform/platform.ts';

/** Converts anything thrown to an API error. An internal error is logged with the request id that the caller sees; the answer contains no details of it. */
export const toApiError = (error: unknown, logger: Logger, context: Readonly<Record<string, unknown>>): ApiError => {
  if (error instanceof ApiError) return error;
  logger.error('unhandled error', { ...context, error });
  return new ApiError('UNHANDLED');
};

/** The headers of an answer with an error: `retry-after`, and for 401 the challenge of the surface. */
export const refusalHeaders = (
  error: ApiError,
  { session }: Surface,
  credentials: Credentials,
  isAuthenticating: boolean,
): Readonly<Record<string, string>> => {
  const challenge = error.status === 401 ? session.challenge(error, credentials, isAuthenticating) : undefined;
  return {
    ...(challenge === undefined ? {} : { 'www-authenticate': challenge }),
    ...retryAfterHeader(error),
  };
};
