/** The control channels of routers, for adapters that accept sockets. */

import './runtime/required.ts';
import type { ManagementController } from './controller/controller.ts';
import { type ControllerInternals, internalsOf } from './controller/controller-inside.ts';
import type { RouterInspection } from './fabric/channels/inspect.ts';
import { type AcceptRouter, createRouterChannels, type RouterChannels } from './fabric/channels/router-channels.ts';
import { createManagementChannels, type OpenManagementChannel } from './operations/management-channel/open-management-channel.ts';
import type { InspectedRouter } from './runtime/presence/traffic.ts';

export type { RouterInspection } from './fabric/channels/inspect.ts';
export type { AcceptRouter, RouterSocket } from './fabric/channels/router-channels.ts';
export type { MessageSocket } from './operations/management-channel/channel.ts';
export type { ChannelRequest, OpenedChannel } from './operations/management-channel/open-management-channel.ts';
export type { InspectedRouter } from './runtime/presence/traffic.ts';

type RouterController = Pick<ManagementController, 'presence' | 'publish'>;

const known = new WeakMap<ControllerInternals, RouterChannels>();

const channelsOf = (controller: RouterController): RouterChannels => {
  const internals = internalsOf(controller);
  const existing = known.get(internals);
  if (existing) return existing;
  const channels = createRouterChannels(
    { core: internals.core, events: internals.events, publish: () => controller.publish() },
    controller.presence,
  );
  known.set(internals, channels);
  return channels;
};

/** Returns the function that accepts connections of routers to a controller. All ports share one registry of connected routers. */
export const acceptRouterOf = (controller: RouterController): AcceptRouter => channelsOf(controller).accept;

/**
 * Notes that routers of a controller are accepted.
 * @returns a function that notes the end of this
 */
export const expectRouters = (controller: RouterController): (() => void) => internalsOf(controller).core.expectedRouters.accept();

/**
 * Queries the routers connected to a controller, on any port, for values that only they know. If a value could not be obtained, the
 * `errors` of the router contain the reason.
 *
 * ```ts
 * const [{ values }] = await inspectRouters(controller, { values: ['links'], routerIds: [id] });
 * ```
 */
export const inspectRouters = (controller: RouterController, inspection: RouterInspection): Promise<readonly InspectedRouter[]> =>
  channelsOf(controller).inspect(inspection);

const knownChannels = new WeakMap<ControllerInternals, OpenManagementChannel>();

/** Returns the function that opens management channels of a controller. All ports share their limits. */
export const openManagementChannelOf = (controller: Pick<ManagementController, 'as'>): OpenManagementChannel => {
  const internals = internalsOf(controller);
  const existing = knownChannels.get(internals);
  if (existing) return existing;
  const open = createManagementChannels(controller, internals.core);
  knownChannels.set(internals, open);
  return open;
};
