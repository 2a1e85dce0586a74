import {
  ApiError,
  type ApiErrorOptions,
  type CatalogEntry,
  catalog,
  causeKindOf,
  type ErrorCause,
  type ErrorCode,
} from '../errors/index.ts';

/** The error in an answer, as far as it belongs to this API. */
export interface ReceivedError {
  readonly code: string;
  readonly message?: unknown;
  readonly cause?: unknown;
  readonly requestId?: unknown;
}

/** The error in an answer. A code that this release does not know is kept in the cause. */
export const receivedError = ({ code, message, cause }: ReceivedError, options: Omit<ApiErrorOptions, 'cause'>): ApiError => {
  if (!isKnown(code)) return new ApiError('UNHANDLED', { ...options, cause: { code, message: String(message) } });
  const fitting = causeFitting(code, cause, String(message)) as ErrorCause; // undefined only for codes without a cause
  return new ApiError(code, { ...options, cause: fitting }) as ApiError; // the cause is one of this code
};

const isKnown = (code: string): code is ErrorCode => Object.hasOwn(catalog, code);

/** Another release may give a cause of another kind, or none: its message is kept in a cause of the kind that the code requires. */
const causeFitting = (code: ErrorCode, cause: unknown, message: string): ErrorCause | undefined => {
  const { cause: kinds, hint }: CatalogEntry = catalog[code];
  const kind = causeKindOf(cause);
  if (kind === 'none' && (hint !== undefined || kinds.includes(kind))) return undefined;
  if (kind !== undefined && kinds.includes(kind)) return cause as ErrorCause; // of that kind
  const words = wordsOf(cause) ?? message;
  if (kinds.includes('message')) return { code, message: words };
  if (kinds.includes('none')) return undefined;
  if (kinds.includes('cursor')) return { message: words, earliest: 0 };
  return kinds.includes('field') ? { field: '', reason: words, value: '' } : { message: words, data: {} };
};

const wordsOf = (cause: unknown): string | undefined => {
  const { message, reason } = Object(cause) as Readonly<Record<string, unknown>>; // any object has such members, or undefined
  return [message, reason].find((words) => typeof words === 'string');
};
