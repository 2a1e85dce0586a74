/**
 * The adapter for Express.
 * @module overlay-controller/http/express
 */
import type { Handling } from './handling.ts';
import { type NodeOptions, nodeBridge } from './node-bridge.ts';
import { answerError } from './node-errors.ts';
import type { NodeIncoming, NodeOutgoing } from './node-request.ts';
import type { RefusalOptions } from './own-errors.ts';

/** The members of an Express request that are used here. */
type ExpressRequest = NodeIncoming & { readonly body?: unknown; readonly rawBody?: unknown; readonly ip?: string | undefined };

/** A handler for `app.use`. It passes requests outside the mount path to `next`. */
export type ExpressHandler = (req: ExpressRequest, res: NodeOutgoing, next: () => void) => void;

/**
 * Creates a handler for Express 4 and 5. Mount it before body parsers, which reject malformed bodies with their own errors. If mounted
 * after them, it uses the parsed body.
 *
 * ```ts
 * app.use('/overlay', expressHandler(controller));
 * ```
 */
export const expressHandler = (controller: Handling, options?: NodeOptions): ExpressHandler => {
  const bridge = nodeBridge(controller, options);
  return (req, res, next) => {
    if (!bridge.answer({ req, res, parsed: req.rawBody ?? req.body, remoteAddress: req.ip })) next();
  };
};

/** An error handler for `app.use`, to be added after the routes. */
export type ExpressErrorHandler = (error: unknown, req: NodeIncoming, res: NodeOutgoing, next: (error: unknown) => void) => void;

/**
 * Creates an error handler for the host's own routes, for Express 4 and 5. It answers an `ApiError` as the controller would: with its
 * status, the envelope, `Retry-After`, and headers that prevent caching and MIME sniffing. It passes all other errors, and every error once
 * headers have been sent, to the next error handler.
 *
 * ```ts
 * app.use(expressErrorHandler()); // after the routes
 * ```
 */
export const expressErrorHandler =
  (options?: RefusalOptions): ExpressErrorHandler =>
  (error, req, res, next) => {
    if (!answerError(error, { req, res }, options)) next(error);
  };
