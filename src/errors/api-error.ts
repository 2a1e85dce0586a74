import { type CatalogEntry, catalog, type ErrorCode } from './catalog.ts';
import { shownValue } from './shown-value.ts';

/** What an error is about: a field of the request, another error, or the posture checks that fail, by the ids of their policies. Never a secret. */
export type ErrorCause =
  | { readonly field: string; readonly reason: string; readonly value: string }
  | { readonly code: string; readonly message: string }
  | { readonly message: string; readonly data: Readonly<Record<string, readonly FailingCheck[]>> };

/** A posture check that the endpoint does not pass. */
export interface FailingCheck {
  readonly id: string;
  readonly typeId: string;
  readonly isPassing: false;
}

export interface ApiErrorOptions {
  readonly cause?: ErrorCause;
  /** Another status than the catalogue's, e.g. 415 for a bad `Content-Type`. */
  readonly status?: number;
  /** Seconds after which it is worth trying again; sent as `Retry-After`. */
  readonly retryAfter?: number;
}

/**
 * The one error that the controller throws, in process and over HTTP.
 *
 * ```ts
 * try { await admin.identities.get({ id: 'nope' }); }
 * catch (error) { if (error instanceof ApiError && error.code === 'NOT_FOUND') console.log(error.status); } // 404
 * ```
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly status: number;
  override readonly cause: ErrorCause | undefined;
  readonly retryAfter: number | undefined;

  constructor(code: ErrorCode, { cause, status, retryAfter }: ApiErrorOptions = {}) {
    const [usual, message, hint]: CatalogEntry = catalog[code];
    super(message);
    this.code = code;
    this.status = status ?? usual;
    this.cause = cause ?? (hint === undefined ? undefined : { code, message: hint });
    this.retryAfter = retryAfter;
  }
}

/** 400 `COULD_NOT_VALIDATE`: the field holds something it must not. `value` is shown to the caller, unless it may be a secret. */
export const invalidField = (field: string, reason: string, value: unknown, status?: number): ApiError =>
  new ApiError('COULD_NOT_VALIDATE', {
    cause: { field, reason: brief(reason), value: shownValue(field, value) },
    ...(status === undefined ? {} : { status }),
  });

/** An error of a code, with what holds of it here: the value that was wrong, and what would be right. Never a secret. */
export const explained = (code: ErrorCode, message: string, options: Omit<ApiErrorOptions, 'cause'> = {}): ApiError =>
  new ApiError(code, { ...options, cause: { code, message } });

/** 404 `NOT_FOUND` for an entity, e.g. `notFound('identity', id)`. */
export const notFound = (kind: string, id: string): ApiError =>
  new ApiError('NOT_FOUND', { cause: { code: 'UNHANDLED', message: `${kind} with id ${brief(id)} not found` } });

/** 404 `NOT_FOUND` for an entity that a field of the request names. */
export const notFoundField = (field: string, kind: string, id: string): ApiError =>
  new ApiError('NOT_FOUND', { cause: { field, reason: `${kind} with id ${brief(id)} not found`, value: brief(id) } });

export const unauthorized = (reason?: string): ApiError =>
  new ApiError('UNAUTHORIZED', reason === undefined ? {} : { cause: { code: 'UNAUTHORIZED', message: reason } });

/** Seconds after which it is worth asking again when the store, or what else the controller needs, is not there. */
const AWAY_SECONDS = 5;

/** 503 `SERVER_UNAVAILABLE`: it is no fault of the request, which may be made again later. */
export const unavailable = (reason?: string): ApiError =>
  new ApiError('SERVER_UNAVAILABLE', {
    retryAfter: AWAY_SECONDS,
    ...(reason === undefined ? {} : { cause: { code: 'SERVER_UNAVAILABLE', message: reason } }),
  });
/** Texts from clients can be as long as their requests; what an error quotes of them is short. */
const brief = (text: string): string => (text.length <= 1024 ? text : `${text.slice(0, 1023)}…`);
