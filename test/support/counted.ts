import type { StorageAdapter, Store, Transaction, TransactionMode } from '../../src/store/storage/port.ts';

/** A real store that says what is asked of it: `read` and `write` for transactions, and the operations of the port by name and kind. */
export interface CountedStorage {
  readonly storage: StorageAdapter;
  /** What some work asks of the store, in order: `['read', 'get identity', ...]`. */
  asked(work: () => Promise<unknown>): Promise<readonly string[]>;
}

export const counted = (adapter: StorageAdapter): CountedStorage => {
  let asked: string[] = [];
  const noting = (tx: Transaction): Transaction =>
    new Proxy(tx, {
      get: (target, name: keyof Transaction) => {
        const operation: unknown = target[name];
        if (typeof operation !== 'function') return operation; // `host`
        return (...args: unknown[]) => {
          asked.push(args.length > 0 ? `${name} ${args[0]}` : name);
          return operation.apply(target, args);
        };
      },
    });
  const watched = (store: Store): Store => ({
    transaction: (mode: TransactionMode, work, options) => {
      asked.push(mode);
      return store.transaction(mode, (tx) => work(noting(tx)), options);
    },
    join: (host) => noting(store.join(host)),
    close: () => store.close(),
  });
  return {
    storage: { open: async (schema) => watched(await adapter.open(schema)) },
    asked: async (work) => {
      asked = [];
      await work();
      return [...asked];
    },
  };
};
