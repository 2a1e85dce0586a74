import { AsyncLocalStorage } from 'node:async_hooks';
import type { StorageAdapter } from '../../src/storage/port.ts';
import { spiedStorage } from './spied-storage.ts';

/** What the work that runs has asked: jobs in the background, which began elsewhere, have none. */
const asking = new AsyncLocalStorage<{ asked: number }>();

/** A store that counts what is asked of it. Open the controller with `roleIndexBytes: 0`: role indexes read in the background, at any time. */
export const counting = (inner: StorageAdapter): { readonly storage: StorageAdapter; readonly calls: () => number } => {
  let calls = 0;
  return {
    calls: () => calls,
    storage: spiedStorage(inner, () => {
      calls++;
      const work = asking.getStore();
      if (work) work.asked++;
    }),
  };
};

/** How much some work itself asks of a store. */
export const askedBy = async <T>(work: () => Promise<T>): Promise<{ readonly asked: number; readonly answer: T }> => {
  const own = { asked: 0 };
  const answer = await asking.run(own, work);
  return { asked: own.asked, answer };
};

/** How much is asked of a store while some work runs. */
export const costOf = async (calls: () => number, work: () => Promise<unknown>): Promise<number> => {
  const before = calls();
  await work();
  return calls() - before;
};
