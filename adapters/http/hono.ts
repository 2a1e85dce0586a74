/**
 * For Hono.
 * @module overlay-controller/http/hono
 */
import type { Handling } from './handling.ts';
import { peerCertificates } from './peer-certificates.ts';
import { type Respond, type WebConnection, type WebOptions, webBridge } from './web-bridge.ts';

/** The members of a Hono context that are used here. */
interface HonoContext {
  readonly req: { readonly raw: Request; arrayBuffer(): Promise<ArrayBuffer> };
  /** On Node, `@hono/node-server` puts the request there. */
  readonly env: unknown;
  /** Creates a response with the headers that middleware has set. */
  newResponse(body: Parameters<Respond>[0], init?: { readonly status?: number; readonly headers?: unknown }): Response;
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
