import type { Core } from './call/core.ts';
import type { ChangeListeners } from './changes/listeners.ts';

/** What entry points beside that of the controller need of one. They are no part of it, so that hosts which do without them do not bundle them. */
export interface ControllerInside {
  readonly core: Core;
  readonly events: ChangeListeners;
}

const known = new WeakMap<object, ControllerInside>();

/** Remembers what is inside a controller, for as long as it is there. */
export const keepInside = (controller: object, inside: ControllerInside): void => void known.set(controller, inside);

/** @throws TypeError for what is no controller, or a copy of one */
export const insideOf = (controller: object): ControllerInside => {
  const inside = known.get(controller);
  if (!inside) throw new TypeError('this takes a controller as ManagementController.open gives it, and no copy of one');
  return inside;
};
