import { EventEmitter } from 'eventemitter3';
import { unknownName } from '../options.ts';
import type { Logger } from '../platform/platform.ts';
import { type Change, type ChangeEvents, changedKinds, isChangedKind, isLogOnly } from './events.ts';

type Name = keyof ChangeEvents;
/** May be asynchronous: a returned promise is not awaited, and its value is ignored. */
type Listener<N extends Name> = (...args: ChangeEvents[N]) => unknown;

/** Lets the host listen to changes. */
export interface ChangeListeners {
  /**
   * Calls a function for every change committed from now on, in order of revision. Runs after the commit, and before the call that made the change resolves.
   * The return value is not awaited; if the function throws or rejects, the error is logged, and the other listeners still run.
   *
   * ```ts
   * controller.events.on('identity', ({ action, entityId, after }) => console.log(action, after?.name ?? entityId));
   * ```
   * @param name `identity`, `apiSession`, ... for changes of one kind; `change` for changes of all kinds,
   * but `securityEvent` and `logCheckpoint`, which change nothing
   * @throws TypeError for another name
   */
  on<N extends Name>(name: N, listener: Listener<N>): void;
  /** Calls a function for the next change only. @param name as for `on` */
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

const known = (name: Name): Name => {
  if (name === 'change' || isChangedKind(name)) return name;
  throw new TypeError(`there are no events ${unknownName(name, ['change', ...changedKinds])}`);
};

/** Listeners that cannot affect each other or the host: if one throws or rejects, the error is logged, and the others are still called. */
export const createListeners = (logger: Logger): ChangeListeners => {
  const emitter = new EventEmitter();
  const guards = new WeakMap<object, (change: Change) => void>();
  const guarded = <N extends Name>(listener: Listener<N>): ((change: Change) => void) => {
    const known = guards.get(listener);
    if (known) return known;
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
    on: (name, listener) => void emitter.on(known(name), guarded(listener)),
    once: (name, listener) => void emitter.once(known(name), guarded(listener)),
    off: (name, listener) => void emitter.off(name, guarded(listener)),
    emit: (change) => {
      // A refused attempt changes nothing: only listeners that ask for it by name receive it.
      if (!isLogOnly(change.entity)) emitter.emit('change', change);
      emitter.emit(change.entity, change);
    },
  };
};
