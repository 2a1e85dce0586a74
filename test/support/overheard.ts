import type { KindName } from '../../src/api/index.ts';
import type { Query, StorageAdapter, Transaction } from '../../src/storage/port.ts';
import { newStorage } from './stores.ts';

/** A real store, and the questions that it is asked about a kind. */
export const overheard = (name: string, kind: KindName = 'change') => {
  const inner = newStorage(name);
  const asked: Query[] = [];
  const heard = (tx: Transaction): Transaction =>
    new Proxy(tx, {
      get: (target, property) => {
        const value: unknown = Reflect.get(target, property);
        if (typeof value !== 'function') return value; // `host`
        return (...args: unknown[]) => {
          if (property === 'list' && args[0] === kind) asked.push(args[1] as Query); // by the signature of the port
          return value.apply(target, args);
        };
      },
    });
  const storage: StorageAdapter = {
    ...inner,
    open: async (schema) => {
      const store = await inner.open(schema);
      return {
        transaction: (mode, work, options) => store.transaction(mode, (tx) => work(heard(tx)), options),
        join: (host) => heard(store.join(host)),
        close: () => store.close(),
      };
    },
  };
  return { storage, asked };
};
