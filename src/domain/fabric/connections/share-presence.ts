import type { Core } from '../../../call/core.ts';
import { newId } from '../../../storage/ids.ts';
import { publishConnections } from './publish-connections.ts';
import { readRemoteControllers } from './remote-controllers.ts';

/**
 * Shares the presence of routers with the other controllers on the store until the controller closes.
 * @returns a function that reads the routers of the others
 */
export const sharePresence = (core: Pick<Core, 'presence' | 'background' | 'platform'>): Core['catchUp'] => {
  const holder = newId(core.platform.random);
  const catchUp = readRemoteControllers(core, holder);
  // This rejects only if the controller is already closed.
  publishConnections(core, holder, catchUp).catch(() => undefined);
  return catchUp;
};
