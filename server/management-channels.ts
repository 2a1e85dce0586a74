import { isChannelRequest, managementChannels } from '../adapters/channels/management-channels.ts';
import type { TrustedProxies, UpgradeHandler } from '../adapters/http/node.ts';
import type { ManagementController } from '../src/index.ts';

/** Time for which a request waits for the controller. ms */
const MAX_WAIT_MS = 30_000;

/** Opens management channels of operators once the controller is open. Until then, requests for them wait. */
export const deferredChannels = (opened: Promise<ManagementController>, trustedProxies: readonly TrustedProxies[]): UpgradeHandler => {
  const options = trustedProxies.length > 0 ? { trustedProxies } : {};
  const handler = opened.then((controller) => managementChannels(controller, options));
  // The start of the server reports why a controller cannot be opened.
  handler.catch(() => undefined);
  return {
    isFor: isChannelRequest(),
    upgrade: (req, socket, head) => {
      // Node has removed its own listener: without one, a client that resets its connection would end the process.
      const destroy = () => void socket.destroy();
      socket.on('error', destroy);
      const timer = setTimeout(destroy, MAX_WAIT_MS).unref();
      void handler.then(({ upgrade }) => socket.destroyed || upgrade(req, socket, head), destroy).finally(() => clearTimeout(timer));
    },
    close: () => void handler.then(({ close }) => close()).catch(() => undefined),
  };
};
