import type { ApiError } from '../errors/index.ts';
import type { CoreAnswer, CoreRequest } from '../http/message.ts';

/** The answer to a request that reaches no controller, under the id that the host or the client gave it. */
export const refused = (error: ApiError, request: CoreRequest): CoreAnswer =>
  error.toAnswer({ requestId: request.requestId ?? request.header('x-request-id') });
