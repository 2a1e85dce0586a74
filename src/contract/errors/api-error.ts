import { type AnswerOptions, answerOf, type PlainAnswer } from './answer.ts';
import { type CatalogEntry, type CauseOf, type CodeAlone, type CodeWith, catalog, type ErrorCode, RETRY_AFTER } from './catalog.ts';
import type { ErrorCause } from './causes.ts';
import { shownValue } from './shown-value.ts';

export interface ApiErrorOptions<C extends ErrorCode = ErrorCode> {
  readonly cause?: NonNullable<CauseOf<C>>;
  /** A status that differs from the one in the catalogue, e.g. 415 for a bad `Content-Type`. */
  readonly status?: number;
  /** Seconds to wait before a retry; sent as `Retry-After`. */
  readonly retryAfter?: number;
  /** The id of the call in the controller's log. */
  readonly requestId?: string;
}

/** An error with the code `C`. */
export interface ApiErrorOf<C extends ErrorCode> extends Error {
  readonly name: 'ApiError';
  /**
   * The reason in the cause, e.g. `name must not be empty`, or else the message in the catalogue. HTTP answers always have the latter as
   * `message`.
   */
  readonly message: string;
  /** Stable; `errorCatalog` and `docs/reference/errors.md` list all of them. */
  readonly code: C;
  /** The status of the HTTP answer. */
  readonly status: number;
  /** Details of the error; the code determines the type. */
  readonly cause: CauseOf<C>;
  /** Seconds to wait before a retry. */
  readonly retryAfter: number | undefined;
  /** The id of the call in the controller's log; undefined if the error was thrown outside a call. */
  readonly requestId: string | undefined;
  /** True if a caller that is logged in, or named by the host, was denied access, so that logging in again does not help. */
  readonly isCallerKnown: boolean;
  /**
   * The HTTP answer that the API sends for this error, for use in the host's own routes: the status, `Retry-After`, headers that forbid
   * caching and content type sniffing, and the envelope `{ error, meta }`.
   *
   * ```ts
   * const route = async () => { try { ... } catch (error) { if (error instanceof ApiError) return error.toResponse(); throw error; } };
   * ```
   */
  toResponse(options?: AnswerOptions): Response;
  /** The same answer, as a plain object. */
  toAnswer(options?: AnswerOptions): PlainAnswer;
}

/**
 * The error that the controller throws, in process and in the typed client: a union discriminated by `code`, which determines the type of
 * `cause`.
 *
 * ```ts
 * try { await controller.as(token).sessions.create({ body: { serviceId, type: 'Dial' } }); }
 * catch (error) {
 *   if (!(error instanceof ApiError)) throw error;
 *   if (error.code === 'INVALID_POSTURE') console.log(error.cause.data); // the checks that fail, by policy
 *   else if (error.code === 'NOT_FOUND') console.log(error.status); // 404
 * }
 * ```
 */
export type ApiError<C extends ErrorCode = ErrorCode> = { readonly [K in C]: ApiErrorOf<K> }[C];

interface ApiErrorConstructor {
  new <C extends CodeAlone>(code: C, options?: ApiErrorOptions<C>): ApiErrorOf<C>;
  new <C extends ErrorCode>(code: C, options: ApiErrorOptions<C> & { readonly cause: CauseOf<C> }): ApiErrorOf<C>;
  readonly prototype: ApiError;
  /** `instanceof` narrows to the union, which `code` narrows further. */
  [Symbol.hasInstance](value: unknown): value is ApiError;
}

/** A registered symbol, so that all copies of this package in a process share it. */
const BRAND = Symbol.for('overlay-controller.ApiError');

/** True for an `ApiError`, even of another copy of this package, e.g. in the bundle of a dependency. Same as `instanceof ApiError`. */
export const isApiError = (value: unknown): value is ApiError => typeof value === 'object' && value !== null && BRAND in value;

/** Creates an error with a code and the cause that the code requires. `error instanceof ApiError` narrows to the union. */
export const ApiError = class ApiError<C extends ErrorCode> extends Error implements ApiErrorOf<C> {
  static override [Symbol.hasInstance](value: unknown): boolean {
    return isApiError(value);
  }

  override readonly name = 'ApiError';
  readonly code: C;
  readonly status: number;
  override readonly cause: CauseOf<C>;
  readonly retryAfter: number | undefined;
  readonly requestId: string | undefined;
  readonly isCallerKnown: boolean = false;

  constructor(code: C, { cause, status, retryAfter, requestId }: ApiErrorOptions<C> = {}) {
    const { status: defaultStatus, message, hint }: CatalogEntry = catalog[code];
    super(reasonIn(cause) ?? [message, hint].filter(Boolean).join(': '));
    this.code = code;
    this.status = status ?? defaultStatus;
    // The constructor's signatures ensure that without a cause, the catalogue has a hint, or the code does not need a cause.
    this.cause = (cause ?? (hint === undefined ? undefined : { code, message: hint })) as CauseOf<C>;
    this.retryAfter = retryAfter;
    this.requestId = requestId;
  }

  get [BRAND](): true {
    return true;
  }

  toAnswer(options?: AnswerOptions): PlainAnswer {
    return answerOf(this, options);
  }

  toResponse(options?: AnswerOptions): Response {
    const { status, headers, body } = this.toAnswer(options);
    return new Response(body, { status, headers });
  }
} as unknown as ApiErrorConstructor; // its `Symbol.hasInstance` is a type guard, and its constructor requires the cause that the code has

/** The human-readable part of a cause. */
const reasonIn = (cause: ErrorCause | undefined): string | undefined => {
  const { reason, message }: { readonly reason?: string; readonly message?: string } = cause ?? {};
  return reason ?? message;
};

/** Adds the request id under which the controller logs a call to an `ApiError` that has none. */
export const ofRequest = <E>(error: E, requestId: string): E =>
  error instanceof ApiError && error.requestId === undefined ? Object.assign(error, { requestId }) : error;

/** Marks an error as one of a known caller. */
export const ofKnownCaller = (error: ApiError): ApiError => Object.assign(error, { isCallerKnown: true });

/** Creates a 400 `COULD_NOT_VALIDATE` for an invalid field. `value` is shown to the caller, unless it may be a secret. */
export const invalidField = (field: string, reason: string, value: unknown, status?: number): ApiError =>
  new ApiError('COULD_NOT_VALIDATE', {
    cause: { field, reason: brief(reason), value: shownValue(field, value) },
    ...(status === undefined ? {} : { status }),
  });

/**
 * Creates a 400 `COULD_NOT_VALIDATE` for a missing body.
 * @param name the expected content of the body
 */
export const missingBody = (name: string): ApiError => invalidField(name, `the body is missing: it must contain the ${name}`, undefined);

/** Creates an error with a message that explains it, e.g. which values are valid. The message must not contain a secret. */
export const explained = <C extends CodeWith<'message'>>(
  code: C,
  message: string,
  options: Omit<ApiErrorOptions, 'cause'> = {},
): ApiErrorOf<C> => new ApiError(code, { ...options, cause: { code, message } as unknown as NonNullable<CauseOf<C>> }); // these codes allow such a cause

/** Creates a 404 `NOT_FOUND` for an entity, e.g. `notFound('identity', id)`. */
export const notFound = (kind: string, id: string): ApiError =>
  new ApiError('NOT_FOUND', { cause: { code: 'UNHANDLED', message: `${kind} with id ${brief(id)} not found` } });

/** Creates a 404 `NOT_FOUND` for an entity to which a field of the request refers. */
export const notFoundField = (field: string, kind: string, id: string): ApiError =>
  new ApiError('NOT_FOUND', { cause: { field, reason: `${kind} with id ${brief(id)} not found`, value: brief(id) } });

export const unauthorized = (reason?: string): ApiError =>
  new ApiError('UNAUTHORIZED', reason === undefined ? {} : { cause: { code: 'UNAUTHORIZED', message: reason } });

/**
 * Creates a 401 `UNAUTHORIZED` for a caller that has the right to the operation, where its input requires an administrator. The cause
 * distinguishes it from an expired session.
 */
export const administratorsOnly = (reason: string): ApiError =>
  new ApiError('UNAUTHORIZED', { cause: { code: 'UNHANDLED', message: reason } });

/** Creates a 503 `SERVER_UNAVAILABLE` with a delay after which the request may be retried. */
export const unavailable = (reason?: string): ApiError =>
  new ApiError('SERVER_UNAVAILABLE', {
    retryAfter: RETRY_AFTER.away,
    ...(reason === undefined ? {} : { cause: { code: 'SERVER_UNAVAILABLE', message: reason } }),
  });

/** Shortens a text from a client, which can be as long as the request, for an error message. */
const brief = (text: string): string => (text.length <= 1024 ? text : `${text.slice(0, 1023)}…`);
