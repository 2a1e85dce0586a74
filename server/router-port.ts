import { type RouterHandler, routerHandler } from '../adapters/routers/node.ts';
import type { ManagementController } from '../src/index.ts';

/** Takes routers as soon as there is a controller. Before, they are sent away, and come again some seconds later. */
export const routersOf = (opened: Promise<ManagementController>): RouterHandler => {
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
