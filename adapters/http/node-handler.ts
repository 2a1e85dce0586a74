import type { Handling } from './handling.ts';
import { type NodeOptions, nodeBridge } from './node-bridge.ts';
import type { NodeIncoming, NodeOutgoing } from './node-request.ts';

/** `next` is called for requests that are not below the mount point; without it they get 404. */
export type NodeListener = (req: NodeIncoming, res: NodeOutgoing, next?: () => void) => void;

/**
 * A listener for any server of Node's: `http`, `https`, `http2`.
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
