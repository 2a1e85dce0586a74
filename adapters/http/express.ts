/**
 * For Express.
 * @module overlay-controller/http/express
 */
import type { Handling } from './handling.ts';
import { type NodeOptions, nodeBridge } from './node-bridge.ts';
import type { NodeIncoming, NodeOutgoing } from './node-request.ts';

/** The members of an Express request that are used here. */
type ExpressRequest = NodeIncoming & { readonly body?: unknown; readonly rawBody?: unknown; readonly ip?: string | undefined };

/** Passed to `app.use`. Requests outside the mount path go on to `next`. */
export type ExpressHandler = (req: ExpressRequest, res: NodeOutgoing, next: () => void) => void;

/**
 * For Express 4 and 5. Mount it before body parsers, which refuse malformed bodies with their own errors; behind them, it uses the parsed body.
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
