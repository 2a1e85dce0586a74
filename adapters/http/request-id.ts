import { isRequestId, newRequestId } from '../../src/adapter-kit.ts';

/**
 * The request id for the log and the answer: the first valid one of the host's and the client's, otherwise a new one.
 * @param hostId the value, of any type, that the host's middleware has set
 * @param header the request's `x-request-id`
 */
export const requestIdOf = (hostId: unknown, header: string | null | undefined): string => {
  if (isRequestId(hostId)) return hostId;
  return isRequestId(header) ? header : newRequestId();
};

/** The request id for a web-standard request, to which host middleware cannot attach one. */
export const webRequestId = (request: Request): string => requestIdOf(undefined, request.headers.get('x-request-id'));
