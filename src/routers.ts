/** The control channels of routers, for adapters of sockets. */
import type { ManagementController } from './controller.ts';
import { type ControllerInside, insideOf } from './controller-inside.ts';
import type { RouterInspection } from './domain/traffic/channels/inspect.ts';
import { type AcceptRouter, createRouterChannels, type RouterChannels } from './domain/traffic/channels/router-channels.ts';
import type { InspectedRouter } from './presence/traffic.ts';

export type { RouterInspection } from './domain/traffic/channels/inspect.ts';
export type { AcceptRouter, RouterSocket } from './domain/traffic/channels/router-channels.ts';
export type { InspectedRouter } from './presence/traffic.ts';

type WithRouters = Pick<ManagementController, 'presence' | 'publish'>;

const known = new WeakMap<ControllerInside, RouterChannels>();

const channelsOf = (controller: WithRouters): RouterChannels => {
  const inside = insideOf(controller);
  const before = known.get(inside);
  if (before) return before;
  const channels = createRouterChannels(
    { core: inside.core, events: inside.events, publish: () => controller.publish() },
    controller.presence,
  );
  known.set(inside, channels);
  return channels;
};

/** Takes the connections of routers to a controller: however many ports there are, they share one account of who is connected. */
export const acceptRouterOf = (controller: WithRouters): AcceptRouter => channelsOf(controller).accept;

/**
 * Asks the routers that are connected to a controller, on any port, for values that only they know. Each failed question is among the errors.
 *
 * ```ts
 * const [{ values }] = await inspectRouters(controller, { values: ['links'], routerIds: [id] });
 * ```
 */
export const inspectRouters = (controller: WithRouters, wanted: RouterInspection): Promise<readonly InspectedRouter[]> =>
  channelsOf(controller).inspect(wanted);
