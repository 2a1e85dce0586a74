import {
  ApiError,
  type ApiErrorOptions,
  type CatalogEntry,
  catalog,
  causeKindOf,
  type ErrorCause,
  type ErrorCode,
} from '../errors/index.ts';

/** The error in an answer. Only its code has been checked. */
export interface ReceivedError {
  readonly code: string;
  readonly message?: unknown;
  readonly cause?: unknown;
  readonly requestId?: unknown;
}

/** Converts the error in an answer to an `ApiError`. A code that this release does not know is kept in the cause. */
export const receivedError = ({ code, message, cause }: ReceivedError, options: Omit<ApiErrorOptions, 'cause'>): ApiError => {
  if (!isKnown(code)) return new ApiError('UNHANDLED', { ...options, cause: { code, message: String(message) } });
  const adapted = adaptCause(code, cause, String(message)) as ErrorCause; // undefined only for codes without a cause
  return new ApiError(code, { ...options, cause: adapted }) as ApiError; // the cause is of a kind that the code has
};

const isKnown = (code: string): code is ErrorCode => Object.hasOwn(catalog, code);

/** Converts a cause to a kind that the code requires, keeping its message, since another release may send a cause of another kind, or none. */
const adaptCause = (code: ErrorCode, cause: unknown, message: string): ErrorCause | undefined => {
  const { cause: kinds, hint }: CatalogEntry = catalog[code];
  const kind = causeKindOf(cause);
  if (kind === 'none' && (hint !== undefined || kinds.includes(kind))) return undefined;
  if (kind !== undefined && kinds.includes(kind)) return cause as ErrorCause; // of that kind
  const text = textOf(cause) ?? message;
  if (kinds.includes('message')) return { code, message: text };
  if (kinds.includes('none')) return undefined;
  if (kinds.includes('cursor')) return { message: text, earliest: 0 };
  return kinds.includes('field') ? { field: '', reason: text, value: '' } : { message: text, data: {} };
};

const textOf = (cause: unknown): string | undefined => {
  const { message, reason } = Object(cause) as Readonly<Record<string, unknown>>; // missing members are undefined
  return [message, reason].find((text) => typeof text === 'string');
};
