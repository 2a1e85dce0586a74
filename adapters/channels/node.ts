/**
 * The management channel, by which the command line of the reference streams events and inspects routers, with the library `ws`.
 * @module overlay-controller/channels/node
 */
export type { UpgradeHandler } from '../http/upgrade-handler.ts';
export { type ManagementChannelOptions, managementChannels } from './management-channels.ts';
