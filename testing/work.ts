import type { StorageAdapter, Store } from '../src/adapter-kit.ts';
import { setImmediate, setTimeout } from '../src/adapter-kit.ts';

/** Tracks the pending work of a network: store transactions and outbound requests. */
export interface Work {
  /** Counts a promise as pending work until it settles. */
  track<T>(work: Promise<T>): Promise<T>;
  /** Wraps a storage adapter, so that the transactions of its store are tracked. */
  trackStorage(adapter: StorageAdapter): StorageAdapter;
  /** Resolves once no work is pending and none starts within the next few turns of the event loop. */
  settled(): Promise<void>;
}

/** Resolves in the next turn of the event loop, after input and output if the runtime has `setImmediate`. */
const nextTurn = (): Promise<void> => new Promise((resolve) => void (setImmediate ? setImmediate(resolve) : setTimeout(resolve, 0)));

/**
 * Number of idle turns of the event loop after which no work is pending. Forwarding an answer or importing a key takes one or two turns.
 */
const QUIET_TURNS = 3;

export const trackWork = (): Work => {
  const running = new Set<Promise<unknown>>();
  const track = <T>(work: Promise<T>): Promise<T> => {
    const settled: Promise<unknown> = work.then(ignore, ignore).finally(() => running.delete(settled));
    running.add(settled);
    return work;
  };
  const watch = (store: Store): Store =>
    new Proxy(store, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        const bound = value.bind(target);
        return name === 'transaction' ? (...args: unknown[]) => track(bound(...args)) : bound;
      },
    });
  return {
    track,
    trackStorage: (adapter) => ({ ...adapter, open: async (schema) => watch(await adapter.open(schema)) }),
    settled: async () => {
      for (let quiet = 0; quiet < QUIET_TURNS; quiet++) {
        if (running.size > 0) quiet = 0;
        await Promise.all(running);
        await nextTurn();
      }
    },
  };
};

const ignore = (): void => undefined;
