import type { StorageAdapter, Store } from './port.ts';
import { storageSchema } from './schema.ts';

/**
 * Opens the store of a storage for some work, and closes it afterwards.
 * @throws StoreSchemaMismatch, StoreUnavailable from the storage adapter; errors of the work
 */
export const withStore = async <T>(storage: StorageAdapter, work: (store: Store) => Promise<T>): Promise<T> => {
  const store = await storage.open(storageSchema);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
};
