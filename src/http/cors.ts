import type { Surface } from '../contract/api/surfaces/surface.ts';
import { ApiError } from '../contract/errors/index.ts';
import type { CoreRequest } from './message.ts';
import { requestHeaders } from './request-headers.ts';

type Headers = Readonly<Record<string, string>>;

/** CORS, for scripts from other origins. */
export interface Cors {
  /** The CORS headers of every answer to a request from this origin. */
  headers(origin: string | undefined): Headers | undefined;
  /**
   * Answers OPTIONS: the headers of a granted preflight, none for any other OPTIONS request.
   * @throws ApiError 405 for a method, 403 for a header that no operation accepts.
   */
  preflight(request: CoreRequest): Headers;
}

const METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
/** Request headers that all operations accept, in addition to those of the session. */
const COMMON_REQUEST_HEADERS: readonly string[] = ['accept', 'content-type', 'if-none-match', ...requestHeaders.map(({ name }) => name)];
/**
 * Answer headers that any operation may send, and that browsers hide from scripts by default (Fetch, "CORS-safelisted response-header
 * name").
 */
const COMMON_ANSWER_HEADERS: readonly string[] = [
  'etag',
  'idempotency-replayed',
  'location',
  'preference-applied',
  'retry-after',
  'ziti-instance-id',
];

/**
 * Allows any origin, without browser credentials (`*`), or only the listed origins, with credentials. Requests from other origins are
 * answered without CORS headers, so that the browser hides the answer from the script.
 * @param declared lower-case names of headers that only some operations accept
 */
export const createCors = (origins: '*' | readonly string[], surfaces: readonly Surface[], declared: readonly string[] = []): Cors => {
  const known = new Set([...COMMON_REQUEST_HEADERS, ...surfaces.flatMap(({ session }) => session.requestHeaders), ...declared]);
  const exposed = new Set([
    ...COMMON_ANSWER_HEADERS,
    ...surfaces.flatMap(({ session, exposedHeaders }) => [...session.answerHeaders, ...exposedHeaders]),
  ]);
  const exposeHeaders = { 'access-control-expose-headers': [...exposed].sort().join() };
  const anyOrigin = Object.freeze({ 'access-control-allow-origin': '*', ...exposeHeaders });
  const listed =
    origins === '*' ? undefined : new Map(origins.map((origin) => [origin, Object.freeze({ ...grant(origin), ...exposeHeaders })]));
  return {
    headers: (origin) => (listed ? (origin !== undefined && listed.get(origin)) || VARY : origin === undefined ? undefined : anyOrigin),
    preflight: (request) => {
      const method = request.header('access-control-request-method');
      if (request.header('origin') === undefined || method === undefined) return {};
      if (!METHODS.includes(method)) {
        throw new ApiError('METHOD_NOT_ALLOWED', {
          cause: { code: 'UNHANDLED', message: `method ${method.slice(0, 32)} is not allowed, but [${METHODS.join()}] are` },
        });
      }
      const requested = (request.header('access-control-request-headers') ?? '')
        .split(',')
        .map((name) => name.trim().toLowerCase())
        .filter(Boolean);
      const unknown = requested.find((name) => !known.has(name));
      if (unknown !== undefined)
        throw new ApiError('UNAUTHORIZED', {
          status: 403,
          cause: { code: 'UNHANDLED', message: `header ${unknown.slice(0, 64)} is not allowed` },
        });
      return {
        'access-control-allow-methods': METHODS.join(),
        ...(requested.length > 0 ? { 'access-control-allow-headers': requested.join() } : {}),
      };
    },
  };
};

const VARY: Headers = Object.freeze({ vary: 'Origin' });
const grant = (origin: string): Headers => ({
  'access-control-allow-origin': origin,
  'access-control-allow-credentials': 'true',
  vary: 'Origin',
});
