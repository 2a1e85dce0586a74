import { createSemaphore, type Release, type Semaphore } from '../runtime/concurrency/semaphore.ts';

/** Maximum number of large bodies in lines of one identity that are in memory, and of those that wait. */
const AT_ONCE = 2;
const MAX_WAITING = 16;

/**
 * Waits until another large body in lines of the identity may be read.
 * @throws ApiError `SERVER_TOO_MANY_REQUESTS` if too many are waiting; the reason of the signal
 */
export type DocumentPlaces = (identity: string, signal: AbortSignal) => Promise<Release>;

export const createDocumentPlaces = (): DocumentPlaces => {
  const places = new Map<string, Semaphore>();
  return async (identity, signal) => {
    const own = places.get(identity) ?? createSemaphore(AT_ONCE, MAX_WAITING);
    places.set(identity, own);
    const release = await own.acquire(signal);
    return () => {
      release();
      if (own.running === 0) places.delete(identity);
    };
  };
};
