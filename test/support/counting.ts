import { AsyncLocalStorage } from 'node:async_hooks';
import type { StorageAdapter } from '../../src/store/storage/port.ts';
import { spiedStorage } from './spied-storage.ts';

/** What the work that runs has asked: jobs in the background, which began elsewhere, have none. */
const asking = new AsyncLocalStorage<{ asked: number }>();

/**
 * A store of whose calls `askedBy` and `costOf` know. Open the controller with `roleIndexBytes: 0`: it depends on the indexes what a
 * request asks.
 */
export const counting = (inner: StorageAdapter): StorageAdapter =>
  spiedStorage(inner, () => {
    const work = asking.getStore();
    if (work) work.asked++;
  });

/** Counts together what several pieces of work ask of a store. */
export const tally = () => {
  const own = { asked: 0 };
  return { asked: () => own.asked, run: <T>(work: () => Promise<T>): Promise<T> => asking.run(own, work) };
};

/** How much some work itself asks of a store. */
export const askedBy = async <T>(work: () => Promise<T>): Promise<{ readonly asked: number; readonly answer: T }> => {
  const own = tally();
  const answer = await own.run(work);
  return { asked: own.asked(), answer };
};

export const costOf = async (work: () => Promise<unknown>): Promise<number> => (await askedBy(work)).asked;
