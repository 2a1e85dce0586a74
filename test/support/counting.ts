import type { StorageAdapter } from '../../src/storage/port.ts';
import { spiedStorage } from './spied-storage.ts';

/** A store that counts what is asked of it. Open the controller with `roleIndexBytes: 0`: role indexes read in the background, at any time. */
export const counting = (inner: StorageAdapter): { readonly storage: StorageAdapter; readonly calls: () => number } => {
  let calls = 0;
  return { calls: () => calls, storage: spiedStorage(inner, () => calls++) };
};

/** How much some work asks of a store. */
export const costOf = async (calls: () => number, work: () => Promise<unknown>): Promise<number> => {
  const before = calls();
  await work();
  return calls() - before;
};
