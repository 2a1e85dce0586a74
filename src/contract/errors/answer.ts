/** Converts errors to HTTP answers, for operations and for the host's own routes. */
import { SESSION_CHALLENGE } from '../wire/challenge.ts';
import { JSON_TYPE } from '../wire/media-types.ts';
import { META } from '../wire/meta.ts';
import { isRequestId, newRequestId } from '../wire/request-id.ts';
import { SAFE_HEADERS } from '../wire/safe-headers.ts';
import { type CatalogEntry, catalog, type ErrorCode } from './catalog.ts';
import type { ErrorCause } from './causes.ts';

/** An HTTP answer as a plain object, for hosts whose framework does not support the web standard `Response`. */
export interface PlainAnswer {
  readonly status: number;
  /** Headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string;
}

/** Options for the answer to an error. */
export interface AnswerOptions {
  /**
   * The id of the request in the host's logs: 1 to 128 visible ASCII characters. Ignored if the error already has a `requestId`, which is
   * the one in the controller's log. Default: a new id.
   */
  readonly requestId?: string | undefined;
  /**
   * Status for a known caller that lacks the right to the call. Use 403 if the application's clients interpret 401 as "logged out".
   * Default: 401, as in the published API.
   */
  readonly refusalStatus?: 401 | 403 | undefined;
}

/** The contents of the member `error` of an answer. */
interface ErrorParts {
  readonly code: string;
  /** The message in the catalogue. */
  readonly message: string;
  readonly cause?: ErrorCause | undefined;
}

interface Thrown {
  readonly code: ErrorCode;
  readonly status: number;
  readonly cause: ErrorCause | undefined;
  readonly retryAfter: number | undefined;
  readonly requestId: string | undefined;
  readonly isCallerKnown: boolean;
}

/** The body `{ error, meta }`. A cause that is an `Error` is not sent: the typed client uses it for details of a failed request. */
export const errorBody = ({ code, message, cause }: ErrorParts, requestId: string): string =>
  JSON.stringify({ error: { code, message, requestId, ...(cause && !(cause instanceof Error) ? { cause } : {}) }, meta: META });

/** The message in the catalogue, by which clients recognise an error. */
export const catalogMessage = (code: ErrorCode): string => {
  const { message }: CatalogEntry = catalog[code];
  return message;
};

/** The header `retry-after` in whole seconds; no header if it is unknown when to retry. */
export const retryAfterHeader = ({ retryAfter }: Pick<Thrown, 'retryAfter'>): Readonly<Record<string, string>> =>
  retryAfter === undefined ? {} : { 'retry-after': String(Math.max(1, Math.ceil(retryAfter))) };

export const answerOf = (error: Thrown, { requestId, refusalStatus = 401 }: AnswerOptions = {}): PlainAnswer => {
  const status = error.status === 401 && error.isCallerKnown ? refusalStatus : error.status;
  return {
    status,
    headers: {
      'content-type': JSON_TYPE,
      ...SAFE_HEADERS,
      ...(status === 401 ? { 'www-authenticate': SESSION_CHALLENGE } : {}),
      ...retryAfterHeader(error),
    },
    body: errorBody(
      { code: error.code, message: catalogMessage(error.code), cause: error.cause },
      [error.requestId, requestId].find(isRequestId) ?? newRequestId(),
    ),
  };
};
