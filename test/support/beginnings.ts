/**
 * Tells the calls of a test from what a controller does in the background: the jobs that began when it was opened, and what earlier calls
 * have left to do, such as records of refused attempts, which are written ten seconds later. Such work writes at any moment.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

const beginnings = new AsyncLocalStorage<number>();
let last = 0;

/** Begins a call, or opens a controller. */
export const beginning = <T>(work: () => T): T => beginnings.run(++last, work);

/** What began latest. */
export const lastBeginning = (): number => last;

/** True if the work that runs belongs to something that began no later than this. Work that `beginning` does not know began just now. */
export const isOf = (begun: number): boolean => (beginnings.getStore() ?? Number.POSITIVE_INFINITY) <= begun;
