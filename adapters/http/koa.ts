/**
 * For Koa.
 * @module overlay-controller/http/koa
 */
import type { Handling } from './handling.ts';
import { type NodeOptions, nodeBridge } from './node-bridge.ts';
import type { NodeIncoming, NodeOutgoing } from './node-request.ts';

/** As much of a Koa context as is used here. */
interface KoaContext {
  readonly req: NodeIncoming;
  readonly res: NodeOutgoing;
  /** With what body parsers add. */
  readonly request: object;
  readonly ip: string;
  respond?: boolean | undefined;
}

/** Passed to `app.use`. Requests outside the mount path go on to `next`. */
export type KoaMiddleware = (context: KoaContext, next: () => Promise<unknown>) => Promise<unknown>;

/**
 * For Koa 2 and 3. The answer is written past Koa, so middleware before it sees the status and may set headers, but not the body.
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
