import type { Handling } from '../adapters/http/node.ts';
import { SAFE_HEADERS, splitTarget } from '../src/adapter-kit.ts';
import type { CoreAnswer, CoreRequest } from '../src/index.ts';

/** Answers a request, or returns undefined for a path of another route. */
export type Route = (request: CoreRequest) => Promise<CoreAnswer> | undefined;

/** Dispatches a request to the first route that answers it, else to `otherwise`. */
export const routed = (routes: readonly Route[], otherwise: Handling): Handling => ({
  handle: (request) => {
    for (const route of routes) {
      const answer = route(request);
      if (answer) return answer;
    }
    return otherwise.handle(request);
  },
});

/** A route for some paths. */
export const paths =
  (known: readonly string[], { handle }: Handling): Route =>
  (request) =>
    known.includes(splitTarget(request.target).path) ? handle(request) : undefined;

/** True for the methods of a read-only resource. */
export const isReading = ({ method }: Pick<CoreRequest, 'method'>): boolean => method === 'GET' || method === 'HEAD';

/** A refusal as plain text. */
export const refusal = (status: number, message: string, more: CoreAnswer['headers'] = {}): CoreAnswer => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8', ...SAFE_HEADERS, ...more },
  body: `${message}\n`,
});

/** The refusal of other methods than those of `isReading`. */
export const onlyRead = (more: CoreAnswer['headers'] = {}): CoreAnswer =>
  refusal(405, 'only GET and HEAD are answered here', { allow: 'GET, HEAD', ...more });
