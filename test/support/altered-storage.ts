/** Storages whose transactions are held up, refused or watched by a test. */
import { StoreUnavailable } from '../../src/store/storage/errors.ts';
import type { StorageAdapter, Store, TransactionMode } from '../../src/store/storage/port.ts';

/** A storage whose transactions are begun in another way. */
export const withTransactions = (adapter: StorageAdapter, by: (store: Store) => Store['transaction']): StorageAdapter => ({
  ...adapter,
  open: async (schema) => {
    const store = await adapter.open(schema);
    return { transaction: by(store), join: (host) => store.join(host), close: () => store.close() };
  },
});

/** A storage before whose transactions something happens: what it throws, they are refused with. */
export const beforeTransactions = (adapter: StorageAdapter, happen: (mode: TransactionMode) => unknown): StorageAdapter =>
  withTransactions(adapter, (store) => async (mode, work, options) => {
    await happen(mode);
    return store.transaction(mode, work, options);
  });

/** A storage that takes no writes at times. */
export const readOnlyWhile = (adapter: StorageAdapter, isReadOnly: () => boolean): StorageAdapter =>
  beforeTransactions(adapter, (mode) => {
    if (mode === 'write' && isReadOnly()) throw new StoreUnavailable('the store takes no writes');
  });

/** A storage that is out of reach at times. */
export const awayWhile = (adapter: StorageAdapter, isAway: () => boolean): StorageAdapter =>
  beforeTransactions(adapter, () => {
    if (isAway()) throw new StoreUnavailable('the store is away');
  });
