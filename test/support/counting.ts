import type { StorageAdapter, Transaction } from '../../src/storage/port.ts';

/** A store that counts what is asked of it. Open the controller with `roleIndexBytes: 0`: role indexes read in the background, at any time. */
export const counting = (inner: StorageAdapter): { readonly storage: StorageAdapter; readonly calls: () => number } => {
  let calls = 0;
  const counted = (tx: Transaction): Transaction =>
    new Proxy(tx, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function') return method; // `host`
        return (...values: unknown[]) => {
          calls++;
          return method.apply(target, values);
        };
      },
    });
  return {
    calls: () => calls,
    storage: {
      open: async (schema) => {
        const store = await inner.open(schema);
        return {
          transaction: (mode, work) => store.transaction(mode, (tx) => work(counted(tx))),
          join: (host) => counted(store.join(host)),
          close: () => store.close(),
        };
      },
    },
  };
};

/** How much some work asks of a store. */
export const costOf = async (calls: () => number, work: () => Promise<unknown>): Promise<number> => {
  const before = calls();
  await work();
  return calls() - before;
};
