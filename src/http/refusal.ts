import { errorAndMeta } from '../contract/api/surfaces/edge-envelope.ts';
import type { HeaderValues } from '../contract/api/surfaces/http-output.ts';
import { ANONYMOUS } from '../contract/api/surfaces/session-rule.ts';
import type { Surface } from '../contract/api/surfaces/surface.ts';
import { ApiError, retryAfterHeader } from '../contract/errors/index.ts';
import { CHALLENGE } from '../contract/wire/challenge.ts';
import type { Logger } from '../runtime/platform/platform.ts';
import type { Incoming } from './incoming.ts';
import type { CoreAnswer } from './message.ts';
import { splitTarget } from './router.ts';
import type { HttpSource } from './source.ts';

/**
 * Converts any thrown value to an API error. A value that is not an API error is logged with `context`; the client receives no details of
 * it.
 */
export const toApiError = (error: unknown, logger: Logger, context: Readonly<Record<string, unknown>>): ApiError => {
  if (error instanceof ApiError) return error;
  logger.error('unhandled error', { ...context, error });
  return new ApiError('UNHANDLED');
};

/** The members of a request that determine the challenge. */
type ChallengedRequest = Pick<HttpSource, 'credentials' | 'stage' | 'answerHeaders'>;

/** The headers of an error response: `retry-after`, and the challenge that the call has set or, for 401, the challenge of the surface. */
const refusalHeaders = (error: ApiError, { session }: Surface, source: ChallengedRequest | undefined): HeaderValues => {
  const surfaceChallenge = () => session.challenge(error, source?.credentials ?? ANONYMOUS, source?.stage === 'session');
  const challenge = source?.answerHeaders.get(CHALLENGE) ?? (error.status === 401 ? surfaceChallenge() : undefined);
  return { ...(challenge === undefined ? {} : { [CHALLENGE]: challenge }), ...retryAfterHeader(error) };
};

/**
 * Forms the answer to a request that is refused.
 * @param surface the surface whose prefix the path has, if any
 * @param source the call, if the request has reached an operation
 */
export type Refuse = (error: unknown, incoming: Incoming, surface?: Surface, source?: HttpSource) => CoreAnswer;

/** @param common the headers of every answer */
export const createRefuse =
  (common: CoreAnswer['headers'], logger: Logger): Refuse =>
  (error, { id, request, observation }, surface, source) => {
    const apiError = toApiError(error, logger, { requestId: id, method: request.method, path: splitTarget(request.target).path });
    observation?.setErrorCode(apiError.code);
    const extraHeaders = surface && refusalHeaders(apiError, surface, source);
    const { contentType: defaultType, write } = surface?.errorForm ?? errorAndMeta;
    const { status = apiError.status, contentType = defaultType, body } = write(apiError, id);
    return { status, headers: { 'content-type': contentType, ...common, ...extraHeaders }, body };
  };
