import { type FetchConnection, type FetchOptions, fetchHandler } from './fetch.ts';
import type { Handling } from './handling.ts';
import { peerCertificates } from './peer-certificates.ts';

/** As much of a Hono context as is read here. */
interface HonoContext {
  readonly req: { readonly raw: Request; arrayBuffer(): Promise<ArrayBuffer> };
  /** On Node, with what `@hono/node-server` puts there. */
  readonly env: unknown;
}

export interface HonoOptions extends FetchOptions {
  /** Tells of the client what a request does not. Default: what `@hono/node-server` knows, else nothing. */
  readonly connection?: (context: HonoContext) => FetchConnection;
}

export type HonoHandler = (context: HonoContext) => Promise<Response>;

/**
 * For Hono 4, on any runtime.
 *
 * ```ts
 * app.all('/overlay/*', honoHandler(controller, { mount: '/overlay' }));
 * ```
 */
export const honoHandler = (controller: Handling, { connection = ofNode, ...options }: HonoOptions = {}): HonoHandler => {
  const handle = fetchHandler(controller, options);
  return (context) => handle(context.req.raw, { usedBody: () => context.req.arrayBuffer(), ...connection(context) });
};

const ofNode = ({ env }: HonoContext): FetchConnection => {
  // Bindings of other runtimes have no `incoming`, or one of another shape.
  const { incoming } = (env ?? {}) as { readonly incoming?: { readonly socket?: { readonly remoteAddress?: string } } };
  return { peerCertificates: peerCertificates(incoming?.socket), remoteAddress: incoming?.socket?.remoteAddress };
};
