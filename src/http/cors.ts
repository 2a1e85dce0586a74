import type { Surface } from '../api/surfaces/surface.ts';
import { ApiError } from '../errors/index.ts';
import type { CoreRequest } from './message.ts';

type Headers = Readonly<Record<string, string>>;

/** CORS for browsers of other origins. */
export interface Cors {
  /** The headers that every answer to a request from this origin carries. */
  headers(origin: string | undefined): Headers | undefined;
  /**
   * Answers OPTIONS: the headers of a granted preflight, none for any other OPTIONS request.
   * @throws ApiError 405 for a method, 403 for a header that no operation knows.
   */
  preflight(request: CoreRequest): Headers;
}

const METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
/** Request headers that all operations take, beside those of the session. */
const TAKEN: readonly string[] = ['accept', 'content-type', 'if-match'];
/** Answer headers that any operation may send and no browser shows by itself (Fetch, "CORS-safelisted response-header name"). */
const SENT: readonly string[] = ['etag', 'location', 'retry-after', 'ziti-instance-id'];

/**
 * Any origin may call, without credentials of the browser (`*`), or those listed, with them. An origin that is not listed gets its answer without the
 * headers, which its browser then hides.
 * @param declared names, in lower case, of the headers that operations take beside those that all take
 */
export const createCors = (origins: '*' | readonly string[], surfaces: readonly Surface[], declared: readonly string[] = []): Cors => {
  const known = new Set([...TAKEN, ...surfaces.flatMap(({ session }) => session.requestHeaders), ...declared]);
  const exposed = new Set([...SENT, ...surfaces.flatMap(({ session, exposedHeaders }) => [...session.answerHeaders, ...exposedHeaders])]);
  const readable = { 'access-control-expose-headers': [...exposed].sort().join() };
  const anyOrigin = Object.freeze({ 'access-control-allow-origin': '*', ...readable });
  const listed = origins === '*' ? undefined : new Map(origins.map((origin) => [origin, Object.freeze({ ...grant(origin), ...readable })]));
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
      const asked = (request.header('access-control-request-headers') ?? '')
        .split(',')
        .map((name) => name.trim().toLowerCase())
        .filter(Boolean);
      const unknown = asked.find((name) => !known.has(name));
      if (unknown !== undefined)
        throw new ApiError('UNAUTHORIZED', {
          status: 403,
          cause: { code: 'UNHANDLED', message: `header ${unknown.slice(0, 64)} is not allowed` },
        });
      return {
        'access-control-allow-methods': METHODS.join(),
        ...(asked.length > 0 ? { 'access-control-allow-headers': asked.join() } : {}),
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
