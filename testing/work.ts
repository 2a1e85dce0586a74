import type { StorageAdapter, Store } from '../src/adapter-kit.ts';

/** The running work in the store of a network and in its outbound requests. */
export interface Work {
  /** Counts it as under way until it settles. */
  track<T>(work: Promise<T>): Promise<T>;
  /** The same adapter, of whose store the transactions are tracked. */
  tracked(adapter: StorageAdapter): StorageAdapter;
  /** Resolves when nothing is under way, nor begins at once. */
  settled(): Promise<void>;
}

// As they are when this module loads: a test that replaces the timers of its runtime does not stop the network.
const { setImmediate: afterIo, setTimeout: afterTime } = globalThis;
const nextSlice = (): Promise<void> => new Promise((resolve) => void (afterIo ? afterIo(resolve) : afterTime(resolve, 0)));

/** Turns of the event loop without any work after which the network counts as idle: passing on an answer, or importing a key, takes one or two. */
const QUIET_TURNS = 3;

export const trackWork = (): Work => {
  const running = new Set<Promise<unknown>>();
  const track = <T>(work: Promise<T>): Promise<T> => {
    const over: Promise<unknown> = work.then(ignored, ignored).finally(() => running.delete(over));
    running.add(over);
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
    tracked: (adapter) => ({ ...adapter, open: async (schema) => watch(await adapter.open(schema)) }),
    settled: async () => {
      for (let quiet = 0; quiet < QUIET_TURNS; quiet++) {
        if (running.size > 0) quiet = 0;
        await Promise.all(running);
        await nextSlice();
      }
    },
  };
};

const ignored = (): void => undefined;
