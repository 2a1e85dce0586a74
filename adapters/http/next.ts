/**
 * The adapter for route handlers of Next.js.
 * @module overlay-controller/http/next
 */
import type { Handling } from './handling.ts';
import { answeringErrors, type RefusalOptions, type WebHandler } from './own-errors.ts';
import { type WebConnection, type WebOptions, webBridge } from './web-bridge.ts';

/** The path at which the controller is mounted, and the source of connection details. */
export interface NextOptions extends WebOptions {
  /** Returns connection details that Next.js does not provide, e.g. from headers that your proxy sets. Default: none. */
  readonly connection?: (request: Request) => WebConnection;
}

export type { WebHandler } from './own-errors.ts';

type RouteHandler = (request: Request) => Promise<Response>;

/** A handler for each method that a route may export. */
export type NextHandlers = Readonly<Record<'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS', RouteHandler>>;

/**
 * Creates the route handlers of Next.js for a file such as `app/overlay/[[...path]]/route.ts`.
 *
 * ```ts
 * export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = nextHandlers(controller, { mount: '/overlay' });
 * ```
 */
export const nextHandlers = (controller: Handling, { connection, ...options }: NextOptions = {}): NextHandlers => {
  const answer = webBridge(controller, options);
  // Next.js also passes the parameters of the route, which are not needed.
  const route: RouteHandler = (request) => answer(request, connection?.(request));
  return { GET: route, HEAD: route, POST: route, PUT: route, PATCH: route, DELETE: route, OPTIONS: route };
};

/**
 * Wraps one of the host's own route handlers. If it throws an `ApiError`, answers as the controller would: with the error's status, the
 * envelope, `Retry-After`, and headers that prevent caching and MIME sniffing. Rethrows everything else, such as the errors of `redirect()`
 * and `notFound()`, which Next.js handles.
 *
 * ```ts
 * export const GET = nextErrorHandler(async (request) => Response.json(await people(request)));
 * ```
 */
export const nextErrorHandler: <More extends readonly unknown[]>(
  handler: WebHandler<More>,
  options?: RefusalOptions,
) => (request: Request, ...more: More) => Promise<Response> = answeringErrors;
