import type { StorageAdapter, Store, Transaction, TransactionMode } from '../storage/port.ts';
import { quotasIn, TenantTransaction, type Watched } from './tenant-transaction.ts';

/**
 * The storage of a tenant: each transaction first asks whether the tenant is still there, and those that write keep within its quotas. A tenant that another
 * process has erased, or whose quotas it has changed, is so here with the next transaction.
 */
export const tenantStorage = (storage: StorageAdapter, watched: Watched): StorageAdapter => ({
  open: async (schema) => tenantStore(await storage.open(schema), watched),
});

const tenantStore = (store: Store, watched: Watched): Store => ({
  transaction: async (mode, work, options) => {
    try {
      if (!watched.isErased) return await store.transaction(mode, (tx) => within(tx, mode, work, watched), options);
    } catch (error) {
      // It has been erased, and its store closed.
      if (!watched.isErased) throw error;
    }
    throw watched.erased();
  },
  join: (host) => {
    if (watched.isErased) throw watched.erased();
    return new TenantTransaction(store.join(host), watched, true);
  },
  ...(store.kinds && { kinds: store.kinds }),
  check: async () => store.check?.(),
  close: () => store.close(),
});

const within = async <T>(tx: Transaction, mode: TransactionMode, work: (tx: Transaction) => Promise<T>, watched: Watched): Promise<T> => {
  if (mode === 'read') {
    await quotasIn(tx, watched);
    return work(tx);
  }
  const writing = new TenantTransaction(tx, watched, false);
  await writing.ready();
  const result = await work(writing);
  await writing.settle();
  return result;
};
