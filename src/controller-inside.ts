import type { Core } from './call/core.ts';
import type { ChangeListeners } from './changelog/listeners.ts';

/** Internals of a controller for other entry points. These are separate so that hosts that do not use them do not bundle them. */
export interface ControllerInternals {
  readonly core: Core;
  readonly events: ChangeListeners;
}

const known = new WeakMap<object, ControllerInternals>();

/** Remembers the internals of a controller as long as it lives. */
export const registerInternals = (controller: object, internals: ControllerInternals): void => void known.set(controller, internals);

/** A controller with other members, e.g. one that a tenant's host closes for itself. It has the internals of the given one, so every entry point takes it. */
export const controllerWith = <C extends object>(controller: C, members: Partial<C>): C => {
  const changed = { ...controller, ...members };
  registerInternals(changed, internalsOf(controller));
  return changed;
};

/** @throws TypeError for a value that is not a controller, or is a copy of one */
export const internalsOf = (controller: object): ControllerInternals => {
  const internals = known.get(controller);
  if (!internals) throw new TypeError('this takes a controller as ManagementController.open gives it, and no copy of one');
  return internals;
};
