/** An error as an answer over HTTP, wherever it was thrown: in an operation, or in a route of the host's own. */
import { SESSION_CHALLENGE } from '../wire/challenge.ts';
import { JSON_TYPE } from '../wire/media-types.ts';
import { META } from '../wire/meta.ts';
import { isRequestId, newRequestId } from '../wire/request-id.ts';
import { SAFE_HEADERS } from '../wire/safe-headers.ts';
import { type CatalogEntry, catalog, type ErrorCode } from './catalog.ts';
import type { ErrorCause } from './causes.ts';

/** An answer over HTTP as a plain object, for hosts whose framework takes no web-standard `Response`. */
export interface PlainAnswer {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string;
}

/** How an error is answered. */
export interface AnswerOptions {
  /**
   * By which the host's own logs know the request: 1 to 128 visible ASCII characters. Ignored where the error has a `requestId` of its own, under which the
   * controller's log knows the call. Default: a new one.
   */
  readonly requestId?: string | undefined;
}

/** The error in an answer. */
interface ErrorParts {
  readonly code: string;
  /** In the words of the catalogue. */
  readonly message: string;
  readonly cause?: ErrorCause | undefined;
}

interface Thrown {
  readonly code: ErrorCode;
  readonly status: number;
  readonly cause: ErrorCause | undefined;
  readonly retryAfter: number | undefined;
  readonly requestId: string | undefined;
}

/** The body `{ error, meta }`. A cause that is an error itself stays here: the typed client puts there what it knows of another server. */
export const errorBody = ({ code, message, cause }: ErrorParts, requestId: string): string =>
  JSON.stringify({ error: { code, message, requestId, ...(cause && !(cause instanceof Error) ? { cause } : {}) }, meta: META });

/** The words of the catalogue, by which clients know an error. */
export const catalogMessage = (code: ErrorCode): string => {
  const { message }: CatalogEntry = catalog[code];
  return message;
};

/** The header `retry-after`, in whole seconds; none where nothing says when to try again. */
export const retryAfterHeader = ({ retryAfter }: Pick<Thrown, 'retryAfter'>): Readonly<Record<string, string>> =>
  retryAfter === undefined ? {} : { 'retry-after': String(Math.max(1, Math.ceil(retryAfter))) };

export const answerOf = (error: Thrown, { requestId }: AnswerOptions = {}): PlainAnswer => ({
  status: error.status,
  headers: {
    'content-type': JSON_TYPE,
    ...SAFE_HEADERS,
    ...(error.status === 401 ? { 'www-authenticate': SESSION_CHALLENGE } : {}),
    ...retryAfterHeader(error),
  },
  body: errorBody(
    { code: error.code, message: catalogMessage(error.code), cause: error.cause },
    [error.requestId, requestId].find(isRequestId) ?? newRequestId(),
  ),
});
