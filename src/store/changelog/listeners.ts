import { EventEmitter } from 'eventemitter3';
import { type Change, type ChangeEvents, changedKinds, isChangedKind, isLogOnly } from '../../contract/changes/events.ts';
import { describeUnknown } from '../../contract/options.ts';
import type { Logger } from '../../runtime/platform/platform.ts';

type Name = keyof ChangeEvents;
/** May be asynchronous: the returned promise is not awaited, and its value is ignored. */
type Listener<N extends Name> = (...args: ChangeEvents[N]) => unknown;

/** The listeners of the host for changes. */
export interface ChangeListeners {
  /**
   * Calls a function for every change committed from now on, in order of revision. Runs after the commit, and before the call that made the
   * change resolves. The return value is not awaited; if the function throws or rejects, the error is logged, and the other listeners still
   * run.
   *
   * ```ts
   * controller.events.on('identity', ({ action, entityId, after }) => console.log(action, after?.name ?? entityId));
   * ```
   * @param name `identity`, `apiSession`, ... for changes of one kind; `change` for changes of all kinds
   * except `securityEvent`, `logCheckpoint` and `routerRepair`, which change no entity
   * @throws TypeError for another name
   */
  on<N extends Name>(name: N, listener: Listener<N>): void;
  /**
   * Calls a function for the next change only.
   * @param name as for `on`
   * @throws TypeError for another name
   */
  once<N extends Name>(name: N, listener: Listener<N>): void;
  /**
   * Removes a listener. Has no effect if the function is not listening.
   * @param name the name that was passed to `on` or `once`
   * @param listener the function that was passed to `on` or `once`
   */
  off<N extends Name>(name: N, listener: Listener<N>): void;
  /** Calls the listeners of a change. */
  emit(change: Change): void;
}

const checkedName = (name: Name): Name => {
  if (name === 'change' || isChangedKind(name)) return name;
  throw new TypeError(`there are no events ${describeUnknown(name, ['change', ...changedKinds])}`);
};

/** Listeners that cannot affect each other or the host: if one throws or rejects, the error is logged, and the others are still called. */
export const createListeners = (logger: Logger): ChangeListeners => {
  const emitter = new EventEmitter();
  const guards = new WeakMap<object, (change: Change) => void>();
  const guardOf = <N extends Name>(listener: Listener<N>): ((change: Change) => void) => {
    const existing = guards.get(listener);
    if (existing) return existing;
    // The cast is safe: a change is emitted only as `change` and under its own kind, which listeners of these names accept.
    const listen = async (change: Change) => (listener as (change: Change) => unknown)(change);
    const guard = (change: Change) => {
      listen(change)
        .catch((error: unknown) =>
          logger.error('a listener failed', { entity: change.entity, revision: change.revision, error: String(error) }),
        )
        .catch(() => undefined); // the logger comes from the host, and may throw, too
    };
    guards.set(listener, guard);
    return guard;
  };
  return {
    on: (name, listener) => void emitter.on(checkedName(name), guardOf(listener)),
    once: (name, listener) => void emitter.once(checkedName(name), guardOf(listener)),
    off: (name, listener) => void emitter.off(name, guardOf(listener)),
    emit: (change) => {
      // A refused attempt changes no entity: only listeners that were added under its name receive it.
      if (!isLogOnly(change.entity)) emitter.emit('change', change);
      emitter.emit(change.entity, change);
    },
  };
};
