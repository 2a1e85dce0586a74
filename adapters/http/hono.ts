/**
 * The adapter for Hono.
 * @module overlay-controller/http/hono
 */

import { peerCertificates } from '../tls/peer-certificates.ts';
import type { Handling } from './handling.ts';
import { isApiError, REPRESENTATION_HEADERS, type RefusalOptions } from './own-errors.ts';
import { webRequestId } from './request-id.ts';
import { type Respond, type WebConnection, type WebOptions, webBridge } from './web-bridge.ts';

/** The members of a Hono context that are used here. */
interface HonoContext {
  readonly req: { readonly raw: Request; arrayBuffer(): Promise<ArrayBuffer> };
  /** On Node, `@hono/node-server` stores the request of Node here, as `incoming`. */
  readonly env: unknown;
  /** Creates a response with the headers that middleware has set. */
  newResponse(body: Parameters<Respond>[0], init?: { readonly status?: number; readonly headers?: unknown }): Response;
  /** Sets a header of the response; without a value, removes it. */
  header(name: string, value?: string): void;
}

/** The path at which the controller is mounted, and the source of connection details. */
export interface HonoOptions extends WebOptions {
  /**
   * Returns connection details that a web-standard request lacks. Default: those that `@hono/node-server` provides, on other runtimes none.
   */
  readonly connection?: (context: HonoContext) => WebConnection;
}

/** A handler for `app.all`. */
export type HonoHandler = (context: HonoContext) => Promise<Response>;

/**
 * Creates a handler for Hono 4, on any runtime.
 *
 * ```ts
 * app.all('/overlay/*', honoHandler(controller, { mount: '/overlay' }));
 * ```
 */
export const honoHandler = (controller: Handling, { connection = nodeConnection, ...options }: HonoOptions = {}): HonoHandler => {
  const answer = webBridge(controller, options);
  return (context) => {
    const { req } = context;
    const respond: Respond = (body, init) => context.newResponse(body, init);
    return answer(req.raw, { usedBody: () => req.arrayBuffer(), ...connection(context) }, respond);
  };
};

const nodeConnection = ({ env }: HonoContext): WebConnection => {
  // The bindings of other runtimes have no `incoming`, or one of a different type.
  const { incoming } = (env ?? {}) as { readonly incoming?: { readonly socket?: { readonly remoteAddress?: string } } };
  return { peerCertificates: peerCertificates(incoming?.socket), remoteAddress: incoming?.socket?.remoteAddress };
};

/** An error handler for `app.onError`. */
export type HonoErrorHandler<Context extends HonoContext = HonoContext> = (error: Error, context: Context) => Response | Promise<Response>;

/**
 * Creates an error handler for the host's own routes, for Hono 4. It answers an `ApiError` as the controller would: with its status, the
 * envelope, `Retry-After`, and headers that prevent caching and MIME sniffing.
 *
 * ```ts
 * app.onError(honoErrorHandler((error, context) => context.text('internal error', 500)));
 * ```
 * @param fallback answers all other errors. Default: like Hono's own handler, it answers an `HTTPException` with the response of the
 * exception; it logs other errors and answers 500
 */
export const honoErrorHandler =
  <Context extends HonoContext>(
    fallback: HonoErrorHandler<Context> = defaultHandler,
    options?: RefusalOptions,
  ): HonoErrorHandler<Context> =>
  (error, context) => {
    if (!isApiError(error)) return fallback(error, context);
    const { raw } = context.req;
    const { status, headers, body } = error.toAnswer({ ...options, requestId: webRequestId(raw) });
    for (const name of REPRESENTATION_HEADERS) context.header(name);
    for (const [name, value] of Object.entries(headers)) context.header(name, value);
    return context.newResponse(raw.method === 'HEAD' ? null : body, { status });
  };

/** Reimplements Hono's default error handler, which Hono does not export. */
const defaultHandler: HonoErrorHandler = (error, context) => {
  if ('getResponse' in error && typeof error.getResponse === 'function') {
    const response = error.getResponse() as Response; // of an HTTPException
    return context.newResponse(response.body, response);
  }
  console.error(error);
  return context.newResponse('Internal Server Error', { status: 500, headers: { 'content-type': 'text/plain; charset=UTF-8' } });
};
