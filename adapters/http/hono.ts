/**
 * For Hono.
 * @module overlay-controller/http/hono
 */

import { peerCertificates } from '../tls/peer-certificates.ts';
import type { Handling } from './handling.ts';
import { isApiError, REPRESENTATION_HEADERS } from './own-errors.ts';
import { webRequestId } from './request-id.ts';
import { type Respond, type WebConnection, type WebOptions, webBridge } from './web-bridge.ts';

/** The members of a Hono context that are used here. */
interface HonoContext {
  readonly req: { readonly raw: Request; arrayBuffer(): Promise<ArrayBuffer> };
  /** On Node, `@hono/node-server` puts the request there. */
  readonly env: unknown;
  /** Creates a response with the headers that middleware has set. */
  newResponse(body: Parameters<Respond>[0], init?: { readonly status?: number; readonly headers?: unknown }): Response;
  /** Sets a header of the answer, or takes it away. */
  header(name: string, value?: string): void;
}

/** Where the controller is mounted, and how to get facts about the client. */
export interface HonoOptions extends WebOptions {
  /** Returns the facts about the client that the request lacks. Default: those of `@hono/node-server`, otherwise none. */
  readonly connection?: (context: HonoContext) => WebConnection;
}

/** Passed to `app.all`. */
export type HonoHandler = (context: HonoContext) => Promise<Response>;

/**
 * For Hono 4, on any runtime.
 *
 * ```ts
 * app.all('/overlay/*', honoHandler(controller, { mount: '/overlay' }));
 * ```
 */
export const honoHandler = (controller: Handling, { connection = ofNode, ...options }: HonoOptions = {}): HonoHandler => {
  const answer = webBridge(controller, options);
  return (context) => {
    const { req } = context;
    const respond: Respond = (body, init) => context.newResponse(body, init);
    return answer(req.raw, { usedBody: () => req.arrayBuffer(), ...connection(context) }, respond);
  };
};

const ofNode = ({ env }: HonoContext): WebConnection => {
  // Bindings of other runtimes have no `incoming`, or one of another shape.
  const { incoming } = (env ?? {}) as { readonly incoming?: { readonly socket?: { readonly remoteAddress?: string } } };
  return { peerCertificates: peerCertificates(incoming?.socket), remoteAddress: incoming?.socket?.remoteAddress };
};

/** Answers an error of a route: passed to `app.onError`. */
export type HonoErrorHandler<Context extends HonoContext = HonoContext> = (error: Error, context: Context) => Response | Promise<Response>;

/**
 * For routes of the host's own, with Hono 4: an `ApiError` is answered as the controller answers it, with its status, the envelope, `Retry-After` and headers
 * against caching and sniffing.
 *
 * ```ts
 * app.onError(honoErrorHandler((error, context) => context.text('an error of ours', 500)));
 * ```
 * @param otherwise answers all other errors, as `app.onError` takes it. Default: like Hono without a handler, which answers an `HTTPException` with its own
 * response, and logs any other error and answers 500
 */
export const honoErrorHandler =
  <Context extends HonoContext>(otherwise: HonoErrorHandler<Context> = likeHono): HonoErrorHandler<Context> =>
  (error, context) => {
    if (!isApiError(error)) return otherwise(error, context);
    const { raw } = context.req;
    const { status, headers, body } = error.toAnswer({ requestId: webRequestId(raw) });
    for (const name of REPRESENTATION_HEADERS) context.header(name);
    for (const [name, value] of Object.entries(headers)) context.header(name, value);
    return context.newResponse(raw.method === 'HEAD' ? null : body, { status });
  };

/** Hono exports no handler of its own. */
const likeHono: HonoErrorHandler = (error, context) => {
  if ('getResponse' in error && typeof error.getResponse === 'function') {
    const response = error.getResponse() as Response; // of an HTTPException
    return context.newResponse(response.body, response);
  }
  console.error(error);
  return context.newResponse('Internal Server Error', { status: 500, headers: { 'content-type': 'text/plain; charset=UTF-8' } });
};
