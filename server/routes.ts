import type { Handling } from '../adapters/http/node.ts';
import { SAFE_HEADERS, splitTarget } from '../src/adapter-kit.ts';
import type { CoreAnswer, CoreRequest } from '../src/index.ts';

/** Answers a request, or gives undefined when its path is another's. */
export type Route = (request: CoreRequest) => Promise<CoreAnswer> | undefined;

/** Hands requests to the first route that takes them, and all others to `otherwise`. */
export const routed = (routes: readonly Route[], otherwise: Handling): Handling => ({
  handle: (request) => {
    for (const route of routes) {
      const answer = route(request);
      if (answer) return answer;
    }
    return otherwise.handle(request);
  },
});

/** One handler for a few paths. */
export const paths =
  (known: readonly string[], { handle }: Handling): Route =>
  (request) =>
    known.includes(splitTarget(request.target).path) ? handle(request) : undefined;

/** Methods of what is only read. */
export const isReading = ({ method }: Pick<CoreRequest, 'method'>): boolean => method === 'GET' || method === 'HEAD';

/** A refusal in a sentence, for people. */
export const refusal = (status: number, message: string, more: CoreAnswer['headers'] = {}): CoreAnswer => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8', ...SAFE_HEADERS, ...more },
  body: `${message}\n`,
});

/** To methods other than those of `isReading`. */
export const onlyRead = (more: CoreAnswer['headers'] = {}): CoreAnswer =>
  refusal(405, 'only GET and HEAD are answered here', { allow: 'GET, HEAD', ...more });
