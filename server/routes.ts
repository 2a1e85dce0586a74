import type { Handling } from '../adapters/http/node.ts';
import { SAFE_HEADERS, splitTarget } from '../src/adapter-kit.ts';
import type { CoreAnswer, CoreRequest } from '../src/index.ts';

/** Answers a request, or returns undefined if another route is responsible. */
export type Route = (request: CoreRequest) => Promise<CoreAnswer> | undefined;

/** Dispatches a request to the first route that answers it, or else to `fallback`. */
export const routed = (routes: readonly Route[], fallback: Handling): Handling => ({
  handle: (request) => {
    for (const route of routes) {
      const answer = route(request);
      if (answer) return answer;
    }
    return fallback.handle(request);
  },
});

/** A route that handles exactly these paths. */
export const paths =
  (known: readonly string[], { handle }: Handling): Route =>
  (request) =>
    known.includes(splitTarget(request.target).path) ? handle(request) : undefined;

/** True for the methods of a read-only resource. */
export const isReading = ({ method }: Pick<CoreRequest, 'method'>): boolean => method === 'GET' || method === 'HEAD';

/** A plain-text error response. */
export const refusal = (status: number, message: string, extraHeaders: CoreAnswer['headers'] = {}): CoreAnswer => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8', ...SAFE_HEADERS, ...extraHeaders },
  body: `${message}\n`,
});

/** The 405 response to methods other than GET and HEAD. */
export const onlyRead = (more: CoreAnswer['headers'] = {}): CoreAnswer =>
  refusal(405, 'only GET and HEAD are answered here', { allow: 'GET, HEAD', ...more });
