import type { Core } from '../../../call/core.ts';
import { newId } from '../../../storage/ids.ts';
import { hearOthers } from './hearing.ts';
import { tellConnected } from './telling.ts';

/**
 * From now on until the controller closes, all controllers on the store know of each other's routers.
 * @returns what hears of those of the others
 */
export const sharePresence = (place: Pick<Core, 'presence' | 'background' | 'platform'>): Core['catchUpPresence'] => {
  const holder = newId(place.platform.random);
  const catchUp = hearOthers(place, holder);
  // It fails only where the controller is closed already.
  tellConnected(place, holder, catchUp).catch(() => undefined);
  return catchUp;
};
