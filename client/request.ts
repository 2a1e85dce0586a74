import { expand, parametersOf } from '../src/contract/api/kit/path-template.ts';
import type { SurfaceName } from '../src/contract/api/surfaces/index.ts';
import { ApiError, invalidField } from '../src/contract/errors/index.ts';
import { JSON_TYPE } from '../src/contract/wire/media-types.ts';
import { prefixes } from './operations.ts';
import type { RemoteOperation } from './remote-operation.ts';

/** The HTTP request for a call of an operation. */
export interface OutgoingRequest {
  readonly method: RemoteOperation['method'];
  /** Path and query, relative to the address of the controller. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** True for a request that is conditional on a version: once it has succeeded, a retry would fail. */
  readonly isConditional?: true;
  /** True for a request with an idempotency key, which is carried out only once even if it is retried. */
  readonly isKeyed?: true;
}

/** The options of a call that become headers. */
interface RequestOptions {
  readonly ifVersion?: number | undefined;
  readonly preview?: true | undefined;
  readonly maxLost?: number | undefined;
  readonly overrideTests?: true | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly reason?: string | undefined;
}

type Input = Readonly<Record<string, unknown>>;

/**
 * Creates the request for a call.
 * @param prefer the API to use if several have the operation
 * @throws ApiError `COULD_NOT_VALIDATE` for a missing path parameter, and `NOT_FOUND` for one that a URL cannot contain, as in process
 */
export const createRequest = (
  operation: RemoteOperation,
  input: Input,
  prefer: SurfaceName,
  { ifVersion, preview, idempotencyKey, maxLost, overrideTests, reason }: RequestOptions = {},
): OutgoingRequest => {
  const { surfaces = ['management'] } = operation;
  const prefix = prefixes[surfaces.includes(prefer) ? prefer : (surfaces[0] ?? prefer)];
  const isRead = operation.method === 'GET';
  const body = isRead || operation.media === undefined ? undefined : bodyOf(operation.media, input.body);
  return {
    method: operation.method,
    target: `${prefix}${pathOf(operation.path, input)}${queryOf(operation, input)}`,
    headers: {
      accept: acceptOf(operation),
      ...headersOf(operation, isRead ? withBody(input) : input),
      ...(body ? { 'content-type': body.type } : {}),
      ...(ifVersion === undefined ? {} : { 'if-match': `"${ifVersion}"` }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      ...(preview ? { prefer: 'dry-run' } : {}),
      ...(maxLost === undefined ? {} : { 'x-max-lost': String(maxLost) }),
      ...(overrideTests ? { 'x-override-policy-tests': 'true' } : {}),
      ...(reason === undefined ? {} : { 'x-change-reason': toByteString(reason) }),
    },
    ...(ifVersion === undefined ? {} : { isConditional: true as const }),
    ...(idempotencyKey === undefined ? {} : { isKeyed: true as const }),
    ...(body ? { body: body.text } : {}),
  };
};

/** Converts a text for a header: each byte of its UTF-8 encoding becomes a character. */
const toByteString = (text: string): string => Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');

/** True if calls of the operation may be conditional on the version of the entity. */
export const supportsVersion = ({ hasEntity, method }: RemoteOperation): boolean => hasEntity === true && method !== 'GET';

/** The names of the inputs of an operation, as in process. */
export const inputNamesOf = ({ path, query = [], headers = {}, media }: RemoteOperation): readonly string[] => [
  ...parametersOf(path),
  ...query,
  ...Object.keys(headers),
  ...(media ? ['body'] : []),
];

const pathOf = (path: string, input: Input): string =>
  expand(path, (name) => {
    const value = input[name];
    if (typeof value !== 'string' || value === '') throw invalidField(name, `${name} must be text`, value);
    // URL parsing removes such a segment, escaped or not. No id has this form.
    if (value === '.' || value === '..') throw new ApiError('NOT_FOUND');
    return encodeURIComponent(value);
  });

const queryOf = ({ query = [] }: RemoteOperation, input: Input): string => {
  const parameters = new URLSearchParams();
  for (const name of query) {
    const value = input[name];
    if (value === undefined || value === null) continue;
    for (const item of Array.isArray(value) ? value : [value]) parameters.append(name, String(item));
  }
  return parameters.size === 0 ? '' : `?${parameters}`;
};

/** Moves the fields of the body to the input, to be sent in headers: `fetch` cannot send a body with a GET. */
const withBody = ({ body, ...input }: Input): Input => (typeof body === 'object' ? { ...input, ...body } : input);

const headersOf = ({ headers = {} }: RemoteOperation, input: Input): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, header]) => (input[name] === undefined ? [] : [[header, String(input[name])]])),
  );

const acceptOf = ({ contentTypes = [JSON_TYPE] }: RemoteOperation): string => contentTypes.join(', ');

/** Serializes a body. A string is sent as it is, with a media type other than JSON, if the operation accepts one. */
const bodyOf = (media: readonly string[], body: unknown): { readonly type: string; readonly text: string } | undefined => {
  if (body === undefined) return undefined;
  const plain = typeof body === 'string' ? media.find((type) => type !== JSON_TYPE) : undefined;
  return plain === undefined ? { type: JSON_TYPE, text: JSON.stringify(body) } : { type: plain, text: String(body) };
};
