import { AsyncLocalStorage } from 'node:async_hooks';
import type { StorageAdapter, Store, Transaction, TransactionMode } from '../../src/store/storage/port.ts';

/** A real store that says what is asked of it: `read` and `write` for transactions, and the operations of the port by name and kind. */
export interface CountedStorage {
  readonly storage: StorageAdapter;
  /** What some work itself asks of the store, in order: `['read', 'get identity', ...]`. */
  asked(work: () => Promise<unknown>): Promise<readonly string[]>;
  /** What anybody asks of the store meanwhile: jobs and routers, too. */
  askedByAll(work: () => Promise<unknown>): Promise<readonly string[]>;
}

export const counted = (adapter: StorageAdapter): CountedStorage => {
  let all: string[] = [];
  const own = new AsyncLocalStorage<string[]>();
  const note = (what: string) => {
    all.push(what);
    own.getStore()?.push(what);
  };
  const noting = (tx: Transaction): Transaction =>
    new Proxy(tx, {
      get: (target, name: keyof Transaction) => {
        const operation: unknown = target[name];
        if (typeof operation !== 'function') return operation; // `host`
        return (...args: unknown[]) => {
          note(args.length > 0 ? `${name} ${args[0]}` : name);
          return operation.apply(target, args);
        };
      },
    });
  const watched = (store: Store): Store => ({
    transaction: (mode: TransactionMode, work, options) => {
      note(mode);
      return store.transaction(mode, (tx) => work(noting(tx)), options);
    },
    join: (host) => noting(store.join(host)),
    close: () => store.close(),
  });
  return {
    storage: { open: async (schema) => watched(await adapter.open(schema)) },
    asked: async (work) => {
      const asked: string[] = [];
      await own.run(asked, work);
      return [...asked];
    },
    askedByAll: async (work) => {
      all = [];
      await work();
      return [...all];
    },
  };
};
