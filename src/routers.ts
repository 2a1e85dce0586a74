/** The control channels of routers, for adapters of sockets. */
import type { ManagementController } from './controller.ts';
import { type ControllerInside, insideOf } from './controller-inside.ts';
import { createAcceptRouter } from './domain/traffic/channels/accept.ts';
import type { AcceptRouter } from './domain/traffic/channels/router-socket.ts';

export type { AcceptRouter, RouterSocket } from './domain/traffic/channels/router-socket.ts';

const accepting = new WeakMap<ControllerInside, AcceptRouter>();

/** Takes the connections of routers to a controller: however many ports there are, they share one account of who is connected. */
export const acceptRouterOf = (controller: Pick<ManagementController, 'presence' | 'publish'>): AcceptRouter => {
  const inside = insideOf(controller);
  const before = accepting.get(inside);
  if (before) return before;
  const accept = createAcceptRouter({ core: inside.core, events: inside.events, publish: () => controller.publish() }, controller.presence);
  accepting.set(inside, accept);
  return accept;
};
