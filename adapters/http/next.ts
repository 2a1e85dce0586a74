/**
 * For route handlers of Next.js.
 * @module overlay-controller/http/next
 */
import type { Handling } from './handling.ts';
import { type WebConnection, type WebOptions, webBridge } from './web-bridge.ts';

/** Where the controller is mounted, and what is known of clients. */
export interface NextOptions extends WebOptions {
  /** Tells of the client what Next.js does not, e.g. from headers that a proxy of yours sets. Default: nothing. */
  readonly connection?: (request: Request) => WebConnection;
}

type RouteHandler = (request: Request) => Promise<Response>;

/** A handler for each method that a route may export. */
export type NextHandlers = Readonly<Record<'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS', RouteHandler>>;

/**
 * For route handlers of Next.js, in a file such as `app/overlay/[[...path]]/route.ts`.
 *
 * ```ts
 * export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = nextHandlers(controller, { mount: '/overlay' });
 * ```
 */
export const nextHandlers = (controller: Handling, { connection, ...options }: NextOptions = {}): NextHandlers => {
  const answer = webBridge(controller, options);
  // Next.js hands in the parameters of the route besides, which are of no use here.
  const route: RouteHandler = (request) => answer(request, connection?.(request));
  return { GET: route, HEAD: route, POST: route, PUT: route, PATCH: route, DELETE: route, OPTIONS: route };
};
