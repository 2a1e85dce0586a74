import { expand, parametersOf } from '../api/kit/path-template.ts';
import type { SurfaceName } from '../api/surfaces/index.ts';
import { ApiError, invalidField } from '../errors/index.ts';
import { JSON_TYPE } from '../wire/media-types.ts';
import { prefixes } from './operations.ts';
import type { RemoteOperation } from './remote-operation.ts';

/** An operation and its input, as they travel. */
export interface Outgoing {
  readonly method: RemoteOperation['method'];
  /** Below the address of the controller. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** True for a request conditional on a version: a repetition after it succeeded would be refused. */
  readonly isConditional?: true;
}

type Input = Readonly<Record<string, unknown>>;

/**
 * @param prefer the API to use if an operation exists on several
 * @throws ApiError `COULD_NOT_VALIDATE` for a parameter of the path that is missing, and `NOT_FOUND` for one that no URL can hold, as in process
 */
export const outgoing = (operation: RemoteOperation, input: Input, prefer: SurfaceName, ifVersion?: number): Outgoing => {
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
    },
    ...(ifVersion === undefined ? {} : { isConditional: true as const }),
    ...(body ? { body: body.text } : {}),
  };
};

/** True if it may be conditional on the version of its entity. */
export const takesVersion = ({ hasEntity, method }: RemoteOperation): boolean => hasEntity === true && method !== 'GET';

/** The names of its input, as in process. */
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
    // A URL resolves such a segment away, escaped or not; no id is like it.
    if (value === '.' || value === '..') throw new ApiError('NOT_FOUND');
    return encodeURIComponent(value);
  });

const queryOf = ({ query = [] }: RemoteOperation, input: Input): string => {
  const parameters = new URLSearchParams();
  for (const name of query) {
    const value = input[name];
    if (value === undefined || value === null) continue;
    for (const each of Array.isArray(value) ? value : [value]) parameters.append(name, String(each));
  }
  return parameters.size === 0 ? '' : `?${parameters}`;
};

/** `fetch` sends no body with a GET: what an operation would read from it travels in its headers. */
const withBody = ({ body, ...input }: Input): Input => (typeof body === 'object' ? { ...input, ...body } : input);

const headersOf = ({ headers = {} }: RemoteOperation, input: Input): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, header]) => (input[name] === undefined ? [] : [[header, String(input[name])]])),
  );

const acceptOf = ({ contentTypes = [JSON_TYPE] }: RemoteOperation): string => contentTypes.join(', ');

/** A text is sent as a text media type, if the operation accepts one. */
const bodyOf = (media: readonly string[], body: unknown): { readonly type: string; readonly text: string } | undefined => {
  if (body === undefined) return undefined;
  const plain = typeof body === 'string' ? media.find((type) => type !== JSON_TYPE) : undefined;
  return plain === undefined ? { type: JSON_TYPE, text: JSON.stringify(body) } : { type: plain, text: String(body) };
};
