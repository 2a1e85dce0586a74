import { isRequestId, newRequestId } from '../../src/adapter-kit.ts';

/**
 * By which the log and the answer know a request: as the host knows it, else as the client has named it, else a new one.
 * @param ofHost what the host's own middleware has set, of any type
 * @param header the request's `x-request-id`
 */
export const requestIdOf = (ofHost: unknown, header: string | null | undefined): string =>
  isRequestId(ofHost) ? ofHost : isRequestId(header) ? header : newRequestId();

/** The same for a web-standard request, which host middleware cannot mark. */
export const webRequestId = (request: Request): string => requestIdOf(undefined, request.headers.get('x-request-id'));
