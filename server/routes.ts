import type { Handling } from '../adapters/http/node.ts';
import { SAFE_HEADERS, splitTarget } from '../src/adapter-kit.ts';
import type { CoreAnswer, CoreRequest } from '../src/index.ts';

/** Handles a request, or returns undefined if the request is not for this route. */
export type Route = (request: CoreRequest) => Promise<CoreAnswer> | undefined;

/** Dispatches a request to the first route that answers it, or else to `fallback`. */
export const createDispatcher = (routes: readonly Route[], fallback: Handling): Handling => ({
  handle: (request) => {
    for (const route of routes) {
      const answer = route(request);
      if (answer) return answer;
    }
    return fallback.handle(request);
  },
});

/** A route that handles exactly these paths. */
export const routeAt =
  (paths: readonly string[], { handle }: Handling): Route =>
  (request) =>
    paths.includes(splitTarget(request.target).path) ? handle(request) : undefined;

/** True for the methods of a read-only resource. */
export const isReading = ({ method }: Pick<CoreRequest, 'method'>): boolean => method === 'GET' || method === 'HEAD';

/** A plain-text error response. */
export const refusal = (status: number, message: string, extraHeaders: CoreAnswer['headers'] = {}): CoreAnswer => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8', ...SAFE_HEADERS, ...extraHeaders },
  body: `${message}\n`,
});

/** The 405 response to methods other than GET and HEAD. */
export const methodNotAllowed = (extraHeaders: CoreAnswer['headers'] = {}): CoreAnswer =>
  refusal(405, 'only GET and HEAD are supported here', { allow: 'GET, HEAD', ...extraHeaders });
