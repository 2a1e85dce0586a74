import { type RouterHandler, routerHandler } from '../adapters/routers/node.ts';
import type { ManagementController } from '../src/index.ts';

/**
 * The address of a port for routers, in the notation that routers use.
 * @param host as in a URL
 */
export const routerAddressOf = (host: string, port: number): string => `tls:${host}:${port}`;

/** Accepts routers once the controller is open. Until then, their connections are closed, and they reconnect. */
export const deferredRouterHandler = (opened: Promise<ManagementController>): RouterHandler => {
  let handler: RouterHandler | undefined;
  let isClosed = false;
  void opened.then((controller) => {
    handler = routerHandler(controller);
    if (isClosed) handler.close();
  });
  return {
    accept: (socket) => (handler ? handler.accept(socket) : void socket.destroy()),
    close: () => {
      isClosed = true;
      handler?.close();
    },
  };
};
