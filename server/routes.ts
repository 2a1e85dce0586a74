import type { Handling } from '../adapters/http/node.ts';
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
    known.includes(request.target.replace(/\?.*$/s, '')) ? handle(request) : undefined;
