import type { HeaderValues } from '../api/surfaces/http-output.ts';
import { ANONYMOUS } from '../api/surfaces/session-rule.ts';
import type { Surface } from '../api/surfaces/surface.ts';
import { ApiError, retryAfterHeader } from '../errors/index.ts';
import type { Logger } from '../platform/platform.ts';
import { CHALLENGE } from '../wire/challenge.ts';
import type { HttpSource } from './source.ts';

/** Converts anything thrown to an API error. An internal error is logged with the request id that the caller sees; the answer contains no details of it. */
export const toApiError = (error: unknown, logger: Logger, context: Readonly<Record<string, unknown>>): ApiError => {
  if (error instanceof ApiError) return error;
  logger.error('unhandled error', { ...context, error });
  return new ApiError('UNHANDLED');
};

/** The part of a request that the challenge of a refusal depends on. */
type Challenged = Pick<HttpSource, 'credentials' | 'stage' | 'answerHeaders'>;

/** The headers of an answer with an error: `retry-after`, and the challenge that the call has set or, for 401, that of the surface. */
export const refusalHeaders = (error: ApiError, { session }: Surface, source: Challenged | undefined): HeaderValues => {
  const ofSurface = () =>
    error.status === 401 ? session.challenge(error, source?.credentials ?? ANONYMOUS, source?.stage === 'session') : undefined;
  const challenge = source?.answerHeaders.get(CHALLENGE) ?? ofSurface();
  return { ...(challenge === undefined ? {} : { [CHALLENGE]: challenge }), ...retryAfterHeader(error) };
};
