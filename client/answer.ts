import { withVersion } from '../src/contract/api/kit/entity-version.ts';
import {
  ApiError,
  type ApiErrorOptions,
  type CatalogEntry,
  catalog,
  type ErrorCause,
  type ErrorCode,
  isCause,
} from '../src/contract/errors/index.ts';
import { isRequestId } from '../src/contract/wire/request-id.ts';
import { eventsIn } from './events.ts';
import type { RemoteOperation } from './remote-operation.ts';

/**
 * Decodes an answer to the output of the operation in process.
 * @throws ApiError for an error, the same as in process
 */
export const outputOf = async ({ answer, hasEntity }: RemoteOperation, response: Response): Promise<unknown> => {
  if (!response.ok) throw await errorOf(response);
  if (answer === 'events') return eventsIn(response);
  if (answer === 'raw') return rawOf(response);
  const body = await jsonOf(response);
  if (answer === 'bare') return body;
  const { data, meta, error } = Object(body) as Partial<Envelope>; // another server may send any JSON
  // Controllers of release 1.7.2 answer errors with status 200 to clients that accept compressed answers.
  if ((data === undefined || data === null) && error) throw receivedIn(error, response);
  if (data === undefined) throw foreignAnswer(response);
  if (answer !== 'page') return hasEntity ? attachVersion(data as object, response.headers.get('etag')) : data; // an entity, or `{}`
  if (!meta?.pagination) throw foreignAnswer(response);
  const { pagination, filterableFields = [] } = meta;
  const limit = pagination.limit > Number.MAX_SAFE_INTEGER ? Infinity : pagination.limit;
  return { data, pagination: { ...pagination, limit }, filterableFields };
};

const attachVersion = (entity: object, etag: string | null): object => {
  const version = /^"(\d{1,16})(?:-[0-9a-z]+)?"$/.exec(etag ?? '')?.[1];
  return version === undefined ? entity : withVersion(entity, Number(version));
};

interface Envelope {
  readonly data: unknown;
  readonly error?: Partial<ReceivedError>;
  readonly meta: { readonly pagination: { readonly limit: number }; readonly filterableFields?: readonly string[] };
}

// A controller always sends an envelope. An answer without one comes from another server at that address, such as a proxy.
const jsonOf = async (response: Response): Promise<Envelope> => {
  try {
    return (await response.json()) as Envelope;
  } catch {
    throw foreignAnswer(response);
  }
};

const IS_BINARY = /^(image\/|application\/octet-stream)/;

const rawOf = async (response: Response) => {
  const contentType = response.headers.get('content-type') ?? '';
  return { contentType, body: IS_BINARY.test(contentType) ? new Uint8Array(await response.arrayBuffer()) : await response.text() };
};

const errorOf = async (response: Response): Promise<ApiError> => {
  const { error } = Object(await response.json().catch(() => ({}))) as { error?: Partial<ReceivedError> };
  return receivedIn(error, response);
};

const receivedIn = (error: Partial<ReceivedError> | undefined, response: Response): ApiError => {
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  const options = {
    // An error in a successful answer has the status of its code.
    ...(response.ok ? {} : { status: response.status }),
    ...(Number.isFinite(retryAfter) ? { retryAfter } : {}),
    ...(isRequestId(error?.requestId) ? { requestId: error.requestId } : {}),
  };
  return typeof error?.code === 'string' ? receivedError({ ...error, code: error.code }, options) : foreignAnswer(response);
};

const foreignAnswer = ({ status }: Response): ApiError =>
  new ApiError('UNHANDLED', {
    status,
    cause: { code: 'UNHANDLED', message: `the answer with status ${status} did not come from this API` },
  });

/** The error in an answer, of which only the code has been validated. */
interface ReceivedError {
  readonly code: string;
  readonly message?: unknown;
  readonly cause?: unknown;
  readonly requestId?: unknown;
}

/** Converts the error in an answer to an `ApiError`. A code of a later release becomes part of the cause. */
export const receivedError = ({ code, message, cause }: ReceivedError, options: Omit<ApiErrorOptions, 'cause'>): ApiError => {
  if (!isKnown(code)) return new ApiError('UNHANDLED', { ...options, cause: { code, message: String(message) } });
  const adapted = adaptCause(code, cause, String(message)) as ErrorCause; // undefined only for codes without a cause
  return new ApiError(code, { ...options, cause: adapted }) as ApiError; // the cause is of a kind that the code has
};

const isKnown = (code: string): code is ErrorCode => Object.hasOwn(catalog, code);

/**
 * Converts a cause to a kind that the code allows, and keeps its message: another release may send a cause of another kind, or none.
 */
const adaptCause = (code: ErrorCode, cause: unknown, message: string): ErrorCause | undefined => {
  const { cause: kinds, hint }: CatalogEntry = catalog[code];
  if (cause === undefined && (hint !== undefined || kinds.includes('none'))) return undefined;
  if (kinds.some((kind) => isCause(kind, cause))) return cause as ErrorCause; // of that kind
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
