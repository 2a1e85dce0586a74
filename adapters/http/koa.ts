/**
 * The adapter for Koa.
 * @module overlay-controller/http/koa
 */
import type { Handling } from './handling.ts';
import { type NodeOptions, nodeBridge } from './node-bridge.ts';
import { hostRequestId, type NodeIncoming, type NodeOutgoing } from './node-request.ts';
import { isApiError, REPRESENTATION_HEADERS, type RefusalOptions } from './own-errors.ts';

/** The members of a Koa context that are used here. */
interface KoaContext {
  readonly req: NodeIncoming;
  readonly res: NodeOutgoing;
  /** Body parsers add members to it. */
  readonly request: object;
  readonly ip: string;
  readonly originalUrl: string;
  respond?: boolean | undefined;
  readonly headerSent: boolean;
  status: number;
  body: unknown;
  set(name: string, value: string): void;
  remove(name: string): void;
}

/** Middleware for `app.use`. */
export type KoaMiddleware = (context: KoaContext, next: () => Promise<unknown>) => Promise<unknown>;

/**
 * Creates middleware for Koa 2 and 3, which calls `next` for requests outside the mount path. The answer bypasses Koa: earlier middleware
 * may set headers and can read the status, but not the body.
 *
 * ```ts
 * app.use(koaMiddleware(controller, { mount: '/overlay' }));
 * ```
 */
export const koaMiddleware = (controller: Handling, options?: NodeOptions): KoaMiddleware => {
  const bridge = nodeBridge(controller, options);
  return (context, next) => {
    const { req, res, request, ip, originalUrl } = context;
    const { rawBody, body }: { readonly rawBody?: unknown; readonly body?: unknown } = request;
    const answered = bridge.answer({ req, res, parsed: rawBody ?? body, remoteAddress: ip, originalUrl });
    if (!answered) return next();
    context.respond = false;
    return answered;
  };
};

/**
 * Creates error-handling middleware for the host's own routes, for Koa 2 and 3. If later middleware throws an `ApiError`, it answers as the
 * controller would: with the error's status, the envelope, `Retry-After`, and headers that prevent caching and MIME sniffing. It rethrows
 * all other errors, and every error once headers have been sent.
 *
 * ```ts
 * app.use(koaErrorHandler()); // before the routes
 * ```
 */
export const koaErrorHandler =
  (options?: RefusalOptions): KoaMiddleware =>
  async (context, next) => {
    try {
      await next();
    } catch (error) {
      if (context.headerSent || !isApiError(error)) throw error;
      const { status, headers, body } = error.toAnswer({ ...options, requestId: hostRequestId(context) });
      for (const name of REPRESENTATION_HEADERS) context.remove(name);
      for (const [name, value] of Object.entries(headers)) context.set(name, value);
      context.status = status;
      context.body = body;
    }
  };
