/**
 * For Koa.
 * @module overlay-controller/http/koa
 */
import type { Handling } from './handling.ts';
import { type NodeOptions, nodeBridge } from './node-bridge.ts';
import type { NodeIncoming, NodeOutgoing } from './node-request.ts';

/** The members of a Koa context that are used here. */
interface KoaContext {
  readonly req: NodeIncoming;
  readonly res: NodeOutgoing;
  /** Body parsers add members to it. */
  readonly request: object;
  readonly ip: string;
  respond?: boolean | undefined;
}

/** Passed to `app.use`. Requests outside the mount path go on to `next`. */
export type KoaMiddleware = (context: KoaContext, next: () => Promise<unknown>) => Promise<unknown>;

/**
 * For Koa 2 and 3. The answer bypasses Koa: middleware before it may set headers and sees the status, but not the body.
 *
 * ```ts
 * app.use(koaMiddleware(controller, { mount: '/overlay' }));
 * ```
 */
export const koaMiddleware = (controller: Handling, options?: NodeOptions): KoaMiddleware => {
  const bridge = nodeBridge(controller, options);
  return (context, next) => {
    const { req, res, request, ip } = context;
    const { rawBody, body }: { readonly rawBody?: unknown; readonly body?: unknown } = request;
    const answered = bridge.answer({ req, res, parsed: rawBody ?? body, remoteAddress: ip });
    if (!answered) return next();
    context.respond = false;
    return answered;
  };
};
