/**
 * For Express.
 * @module overlay-controller/http/express
 */
import type { Handling } from './handling.ts';
import { type NodeOptions, nodeBridge } from './node-bridge.ts';
import type { NodeIncoming, NodeOutgoing } from './node-request.ts';

/** As much of an Express request as is read here. */
type ExpressRequest = NodeIncoming & { readonly body?: unknown; readonly rawBody?: unknown; readonly ip?: string | undefined };

/** What `app.use` takes. Requests that are not below the mount point go on to `next`. */
export type ExpressHandler = (req: ExpressRequest, res: NodeOutgoing, next: () => void) => void;

/**
 * For Express 4 and 5. Best used before body parsers, which refuse in their own way what they cannot read; behind them, what they made of a body counts.
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
