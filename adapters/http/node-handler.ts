import type { Handling } from './handling.ts';
import { type NodeOptions, nodeBridge } from './node-bridge.ts';
import type { NodeIncoming, NodeOutgoing } from './node-request.ts';

/** A request listener. It passes requests outside the mount path to `next`, or answers 404 without it. */
export type NodeListener = (req: NodeIncoming, res: NodeOutgoing, next?: () => void) => void;

/**
 * Creates a listener for any of Node's servers: `http`, `https` or `http2`.
 *
 * ```ts
 * http.createServer(nodeHandler(controller, { mount: '/overlay' })).listen(8080);
 * ```
 */
export const nodeHandler = (controller: Handling, options?: NodeOptions): NodeListener => {
  const bridge = nodeBridge(controller, options);
  return (req, res, next) => {
    const host = { req, res };
    if (bridge.answer(host)) return;
    if (next) next();
    else bridge.refuse(host);
  };
};
