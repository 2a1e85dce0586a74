import { EventEmitter } from 'eventemitter3';
import type { Logger } from '../platform/platform.ts';
import type { Change, ChangeEvents } from './events.ts';

type Name = keyof ChangeEvents;
/** May be asynchronous: a returned promise is not awaited, and its value is ignored. */
type Listener<N extends Name> = (...args: ChangeEvents[N]) => unknown;

/** Lets a host listen to changes. */
export interface ChangeListeners {
  /**
   * Calls a function for every change that is committed from now on, in order of revision, after the commit and before the call that made it resolves. What
   * it returns is not awaited; if it throws or rejects, that is logged, and the other listeners still run.
   *
   * ```ts
   * controller.events.on('identity', ({ action, entityId, after }) => console.log(action, after?.name ?? entityId));
   * ```
   * @param name `identity`, `apiSession`, ... for changes of one kind; `change` for those of all kinds
   */
  on<N extends Name>(name: N, listener: Listener<N>): void;
  /** Calls a function for the next change only. @param name as for `on` */
  once<N extends Name>(name: N, listener: Listener<N>): void;
  /**
   * No longer calls a function that was passed to `on` or `once`. Without effect if it is not listening.
   * @param name by which it listens
   * @param listener the same function
   */
  off<N extends Name>(name: N, listener: Listener<N>): void;
  /** Announces a change to its listeners. */
  emit(change: Change): void;
}

/** Listeners that cannot harm each other, or the host: one that throws or rejects is logged, and the others are still notified. */
export const createListeners = (logger: Logger): ChangeListeners => {
  const emitter = new EventEmitter();
  const guards = new WeakMap<object, (change: Change) => void>();
  const guarded = <N extends Name>(listener: Listener<N>): ((change: Change) => void) => {
    const known = guards.get(listener);
    if (known) return known;
    // A change is announced under its own kind and under `change`: it is what the listener of that name takes.
    const listen = async (change: Change) => (listener as (change: Change) => unknown)(change);
    const guard = (change: Change) => {
      listen(change)
        .catch((error: unknown) =>
          logger.error('a listener failed', { entity: change.entity, revision: change.revision, error: String(error) }),
        )
        .catch(() => undefined); // the logger is the host's, too
    };
    guards.set(listener, guard);
    return guard;
  };
  return {
    on: (name, listener) => void emitter.on(name, guarded(listener)),
    once: (name, listener) => void emitter.once(name, guarded(listener)),
    off: (name, listener) => void emitter.off(name, guarded(listener)),
    emit: (change) => {
      emitter.emit('change', change);
      emitter.emit(change.entity, change);
    },
  };
};
