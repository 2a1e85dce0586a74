import type { Core } from './call/core.ts';
import type { ChangeListeners } from './changelog/listeners.ts';

/** Internals of a controller for other entry points, which are separate so that hosts without them do not bundle them. */
export interface ControllerInside {
  readonly core: Core;
  readonly events: ChangeListeners;
}

const known = new WeakMap<object, ControllerInside>();

/** Remembers a controller's internals for its lifetime. */
export const keepInside = (controller: object, inside: ControllerInside): void => void known.set(controller, inside);

/** @throws TypeError for a value that is not a controller, and for a copy of one */
export const insideOf = (controller: object): ControllerInside => {
  const inside = known.get(controller);
  if (!inside) throw new TypeError('this takes a controller as ManagementController.open gives it, and no copy of one');
  return inside;
};
