import type { StorageAdapter, Store, Transaction, TransactionMode } from '../storage/port.ts';
import { quotasIn, TenantTransaction, type Watched } from './tenant-transaction.ts';

/**
 * Wraps the storage of a tenant: each transaction first checks that the tenant still exists, and write transactions enforce its quotas. An erasure or a
 * change of quotas by another process therefore takes effect in the next transaction.
 */
export const tenantStorage = (storage: StorageAdapter, watched: Watched): StorageAdapter => ({
  open: async (schema) => tenantStore(await storage.open(schema), watched),
});

const tenantStore = (store: Store, watched: Watched): Store => ({
  transaction: async (mode, work, options) => {
    try {
      if (!watched.isErased) return await store.transaction(mode, (tx) => runInTenant(tx, mode, work, watched), options);
    } catch (error) {
      // The tenant may have been erased, and its store closed, during the transaction.
      if (!watched.isErased) throw error;
    }
    throw watched.onErased();
  },
  join: (host) => {
    if (watched.isErased) throw watched.onErased();
    return new TenantTransaction(store.join(host), watched, true);
  },
  ...(store.kinds && { kinds: store.kinds }),
  check: async () => store.check?.(),
  close: () => store.close(),
});

const runInTenant = async <T>(
  tx: Transaction,
  mode: TransactionMode,
  work: (tx: Transaction) => Promise<T>,
  watched: Watched,
): Promise<T> => {
  if (mode === 'read') {
    await quotasIn(tx, watched);
    return work(tx);
  }
  const tenantTx = new TenantTransaction(tx, watched, false);
  await tenantTx.ready();
  const result = await work(tenantTx);
  await tenantTx.beforeCommit();
  return result;
};
