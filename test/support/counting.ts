import type { StorageAdapter, Transaction } from '../../src/storage/port.ts';

/** A storage adapter that counts what is asked of the store. */
export const counting = (
  adapter: StorageAdapter,
): { readonly storage: StorageAdapter; during(work: () => Promise<unknown>): Promise<number> } => {
  let calls = 0;
  const counted = (tx: Transaction): Transaction =>
    new Proxy(tx, {
      get: (target, name: keyof Transaction) => {
        const method = target[name] as (...args: unknown[]) => unknown; // a transaction has methods only
        return (...args: unknown[]) => {
          calls++;
          return method.apply(target, args);
        };
      },
    });
  return {
    storage: {
      open: async (schema) => {
        const store = await adapter.open(schema);
        return {
          transaction: (mode, work) => store.transaction(mode, (tx) => work(counted(tx))),
          join: (host) => counted(store.join(host)),
          close: () => store.close(),
        };
      },
    },
    during: async (work) => {
      const before = calls;
      await work();
      return calls - before;
    },
  };
};
