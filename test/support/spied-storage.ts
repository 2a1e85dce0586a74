import type { StorageAdapter, Transaction } from '../../src/store/storage/port.ts';

/** A store that tells of each call of its transactions, with the name of the method and what it was given. */
export const spiedStorage = (inner: StorageAdapter, tell: (name: string | symbol, values: readonly unknown[]) => void): StorageAdapter => {
  const spied = (tx: Transaction): Transaction =>
    new Proxy(tx, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function') return method; // `host`
        return (...values: unknown[]) => {
          tell(name, values);
          return method.apply(target, values);
        };
      },
    });
  return {
    ...inner,
    open: async (schema) => {
      const store = await inner.open(schema);
      return {
        transaction: (mode, work, options) => store.transaction(mode, (tx) => work(spied(tx)), options),
        join: (host) => spied(store.join(host)),
        close: () => store.close(),
      };
    },
  };
};
