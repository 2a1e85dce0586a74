import { type AnswerOptions, answerOf, type PlainAnswer } from './answer.ts';
import { type CatalogEntry, type CauseOf, type CodeAlone, type CodeWith, catalog, type ErrorCode, RETRY_AFTER } from './catalog.ts';
import type { ErrorCause } from './causes.ts';
import { shownValue } from './shown-value.ts';

export interface ApiErrorOptions<C extends ErrorCode = ErrorCode> {
  readonly cause?: NonNullable<CauseOf<C>>;
  /** Another status than the catalogue's, e.g. 415 for a bad `Content-Type`. */
  readonly status?: number;
  /** Seconds after which it is worth trying again; sent as `Retry-After`. */
  readonly retryAfter?: number;
  /** The id of the call in the controller's log. */
  readonly requestId?: string;
}

/** An error of one code. */
export interface ApiErrorOf<C extends ErrorCode> extends Error {
  readonly name: 'ApiError';
  /** The fault, such as `name must not be empty`, if the cause has it; else the message of the catalogue, which every answer over HTTP has. */
  readonly message: string;
  /** Stable; `errorCatalog` and `docs/errors.md` list all of them. */
  readonly code: C;
  /** The status of the answer over HTTP. */
  readonly status: number;
  /** Details of this error; the row of its code in the catalogue determines the type. */
  readonly cause: CauseOf<C>;
  /** Seconds after which it is worth trying again. */
  readonly retryAfter: number | undefined;
  /** The id of the call in the controller's log; undefined if the error was thrown outside a call. */
  readonly requestId: string | undefined;
  /**
   * The answer of the API to this error, for one of the host's routes: its status, `Retry-After`, headers against caching and content type sniffing, and the
   * envelope `{ error, meta }`.
   *
   * ```ts
   * const route = async () => { try { ... } catch (error) { if (error instanceof ApiError) return error.toResponse(); throw error; } };
   * ```
   */
  toResponse(options?: AnswerOptions): Response;
  /** The same as a plain object. */
  toAnswer(options?: AnswerOptions): PlainAnswer;
}

/**
 * The one error that the controller throws, in process and over HTTP: a union by `code`, which says what `cause` is.
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

/** Makes an error of a code, with a cause of the kind that it requires; `error instanceof ApiError` narrows to the union. */
export const ApiError = class ApiError<C extends ErrorCode> extends Error implements ApiErrorOf<C> {
  override readonly name = 'ApiError';
  readonly code: C;
  readonly status: number;
  override readonly cause: CauseOf<C>;
  readonly retryAfter: number | undefined;
  readonly requestId: string | undefined;

  constructor(code: C, { cause, status, retryAfter, requestId }: ApiErrorOptions<C> = {}) {
    const { status: usual, message, hint }: CatalogEntry = catalog[code];
    super(reasonIn(cause) ?? [message, hint].filter(Boolean).join(': '));
    this.code = code;
    this.status = status ?? usual;
    // Where none is given, the row has a hint, which is a message, or there may be none: the signatures above say so.
    this.cause = (cause ?? (hint === undefined ? undefined : { code, message: hint })) as CauseOf<C>;
    this.retryAfter = retryAfter;
    this.requestId = requestId;
  }

  toAnswer(options?: AnswerOptions): PlainAnswer {
    return answerOf(this, options);
  }

  toResponse(options?: AnswerOptions): Response {
    const { status, headers, body } = this.toAnswer(options);
    return new Response(body, { status, headers });
  }
} as unknown as ApiErrorConstructor; // `Symbol.hasInstance` is that of every class, which is declared as no guard

/** The human-readable part of a cause. */
const reasonIn = (cause: ErrorCause | undefined): string | undefined => {
  const { reason, message }: { readonly reason?: string; readonly message?: string } = cause ?? {};
  return reason ?? message;
};

/** The error of a call, with the request id under which the controller logs it. */
export const ofRequest = <E>(error: E, requestId: string): E =>
  error instanceof ApiError && error.requestId === undefined ? Object.assign(error, { requestId }) : error;

/** 400 `COULD_NOT_VALIDATE`: the field holds something it must not. `value` is shown to the caller, unless it may be a secret. */
export const invalidField = (field: string, reason: string, value: unknown, status?: number): ApiError =>
  new ApiError('COULD_NOT_VALIDATE', {
    cause: { field, reason: brief(reason), value: shownValue(field, value) },
    ...(status === undefined ? {} : { status }),
  });

/** @param name the expected content of the body */
export const missingBody = (name: string): ApiError => invalidField(name, `the body is missing: it must hold the ${name}`, undefined);

/** An error of a code, with its details: the invalid value, and the valid ones. Never a secret. */
export const explained = <C extends CodeWith<'message'>>(
  code: C,
  message: string,
  options: Omit<ApiErrorOptions, 'cause'> = {},
): ApiErrorOf<C> => new ApiError(code, { ...options, cause: { code, message } as unknown as NonNullable<CauseOf<C>> }); // a message is among the causes of each such code

/** 404 `NOT_FOUND` for an entity, e.g. `notFound('identity', id)`. */
export const notFound = (kind: string, id: string): ApiError =>
  new ApiError('NOT_FOUND', { cause: { code: 'UNHANDLED', message: `${kind} with id ${brief(id)} not found` } });

/** 404 `NOT_FOUND` for an entity that a field of the request names. */
export const notFoundField = (field: string, kind: string, id: string): ApiError =>
  new ApiError('NOT_FOUND', { cause: { field, reason: `${kind} with id ${brief(id)} not found`, value: brief(id) } });

export const unauthorized = (reason?: string): ApiError =>
  new ApiError('UNAUTHORIZED', reason === undefined ? {} : { cause: { code: 'UNAUTHORIZED', message: reason } });

/** 503 `SERVER_UNAVAILABLE`: it is no fault of the request, which may be made again later. */
export const unavailable = (reason?: string): ApiError =>
  new ApiError('SERVER_UNAVAILABLE', {
    retryAfter: RETRY_AFTER.away,
    ...(reason === undefined ? {} : { cause: { code: 'SERVER_UNAVAILABLE', message: reason } }),
  });
/** Texts from clients can be as long as their requests; what an error quotes of them is short. */
const brief = (text: string): string => (text.length <= 1024 ? text : `${text.slice(0, 1023)}…`);
