import { isRequestId, newRequestId } from '../../src/adapter-kit.ts';

/**
 * The request id for the log and the answer: the host's, else the client's, else a new one.
 * @param ofHost the value, of any type, that the host's middleware has set
 * @param header the request's `x-request-id`
 */
export const requestIdOf = (ofHost: unknown, header: string | null | undefined): string =>
  isRequestId(ofHost) ? ofHost : isRequestId(header) ? header : newRequestId();

/** The request id for a web-standard request, which host middleware cannot mark. */
export const webRequestId = (request: Request): string => requestIdOf(undefined, request.headers.get('x-request-id'));
