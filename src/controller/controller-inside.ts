import type { Core } from '../call/core.ts';
import type { ChangeListeners } from '../store/changelog/listeners.ts';

/**
 * Internals of a controller, for the other entry points of the package. Those are separate so that only hosts that use them bundle them.
 */
export interface ControllerInternals {
  readonly core: Core;
  readonly events: ChangeListeners;
}

const known = new WeakMap<object, ControllerInternals>();

/** Remembers the internals of a controller as long as it lives. */
export const registerInternals = (controller: object, internals: ControllerInternals): void => void known.set(controller, internals);

/**
 * Copies a controller with some members replaced, e.g. `close`. The copy has the same internals, so every entry point accepts it.
 */
export const controllerWith = <C extends object>(controller: C, members: Partial<C>): C => {
  const changed = { ...controller, ...members };
  registerInternals(changed, internalsOf(controller));
  return changed;
};

/** @throws TypeError for a value that is not a controller, or is a copy of one */
export const internalsOf = (controller: object): ControllerInternals => {
  const internals = known.get(controller);
  if (!internals) throw new TypeError('this needs a controller that ManagementController.open returned, not a copy of one');
  return internals;
};
