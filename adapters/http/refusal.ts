import { errorBody, newRequestId, RETRY_AFTER, SAFE_HEADERS } from '../../src/adapter-kit.ts';

/** Errors that the adapter answers itself, such as invalid HTTP and overload. The body is the controller's error envelope. */
const REFUSALS = {
  400: ['COULD_NOT_PARSE_BODY', 'The request is not valid HTTP'],
  401: ['UNAUTHORIZED', 'The request could not be completed. The session is not authorized or the credentials are invalid'],
  404: ['NOT_FOUND', 'The resource requested was not found or is no longer available'],
  408: ['TIMEOUT', 'The request was not received in time'],
  413: ['REQUEST_ENTITY_TOO_LARGE', 'The request is larger than the server accepts'],
  431: ['REQUEST_ENTITY_TOO_LARGE', 'The headers of the request are larger than the server accepts'],
  429: ['SERVER_TOO_MANY_REQUESTS', 'Too many requests to alter state have been issued. Please slow your request rate or try again later.'],
  500: ['UNHANDLED', 'An unhandled error occurred'],
  503: ['SERVER_UNAVAILABLE', 'The server cannot answer at the moment. Please try again later'],
} as const;

/** The headers of every refusal. */
export const REFUSAL_HEADERS = Object.freeze({ 'content-type': 'application/json', ...SAFE_HEADERS });

export type RefusalStatus = keyof typeof REFUSALS;

/** The headers of a refusal, with `Retry-After` if the client may retry. */
export const refusalHeaders = (status: RefusalStatus): Readonly<Record<string, string>> =>
  status === 408 || status === 429 || status === 503 ? { ...REFUSAL_HEADERS, 'retry-after': String(RETRY_AFTER.busy) } : REFUSAL_HEADERS;

/**
 * @param requestId default: a new one
 * @param message default: the message for the status
 */
export const refusalBody = (status: RefusalStatus, requestId: string = newRequestId(), message: string = REFUSALS[status][1]): string => {
  const [code] = REFUSALS[status];
  return errorBody({ code, message }, requestId);
};
