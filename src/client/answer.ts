import { withVersion } from '../api/kit/entity-version.ts';
import { ApiError } from '../errors/index.ts';
import { isRequestId } from '../wire/request-id.ts';
import { eventsIn } from './events.ts';
import { type ReceivedError, receivedError } from './received.ts';
import type { RemoteOperation } from './remote-operation.ts';

/** Decodes an answer to the output that the operation has in process. @throws ApiError for an error answer, the same error as in process */
export const outputOf = async ({ answer, hasEntity }: RemoteOperation, response: Response): Promise<unknown> => {
  if (!response.ok) throw await errorOf(response);
  if (answer === 'events') return eventsIn(response);
  if (answer === 'raw') return rawOf(response);
  const body = await jsonOf(response);
  if (answer === 'bare') return body;
  const { data, meta, error } = Object(body) as Partial<Envelope>; // another server may answer any JSON
  // Controllers of release 1.7.2 answer errors with status 200 to clients that accept compressed answers.
  if ((data === undefined || data === null) && error) throw receivedIn(error, response);
  if (data === undefined) throw foreignAnswer(response);
  if (answer !== 'page') return hasEntity ? versioned(data as object, response.headers.get('etag')) : data; // the details of an entity, or `{}`
  if (!meta?.pagination) throw foreignAnswer(response);
  const { pagination, filterableFields = [] } = meta;
  const limit = pagination.limit > Number.MAX_SAFE_INTEGER ? Infinity : pagination.limit;
  return { data, pagination: { ...pagination, limit }, filterableFields };
};

const versioned = (entity: object, etag: string | null): object => {
  const version = /^"(\d{1,16})(?:-[0-9a-z]+)?"$/.exec(etag ?? '')?.[1];
  return version === undefined ? entity : withVersion(entity, Number(version));
};

interface Envelope {
  readonly data: unknown;
  readonly error?: Partial<ReceivedError>;
  readonly meta: { readonly pagination: { readonly limit: number }; readonly filterableFields?: readonly string[] };
}

// A controller always sends its envelope. An answer without it comes from another server at that address, such as a proxy.
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
    // That of the error's code, if the answer has one of success.
    ...(response.ok ? {} : { status: response.status }),
    ...(Number.isFinite(retryAfter) ? { retryAfter } : {}),
    ...(isRequestId(error?.requestId) ? { requestId: error.requestId } : {}),
  };
  return typeof error?.code === 'string' ? receivedError({ ...error, code: error.code }, options) : foreignAnswer(response);
};

const foreignAnswer = ({ status }: Response): ApiError =>
  new ApiError('UNHANDLED', { status, cause: { code: 'UNHANDLED', message: `answer ${status} is none of this API's` } });
