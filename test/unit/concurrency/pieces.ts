import { ApiError } from '../../../src/contract/errors/index.ts';
import { type Applicant, createFairSemaphore } from '../../../src/runtime/concurrency/fair-semaphore.ts';

/** Work that ends when it is told to. */
export const piece = () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { work: () => promise, end: resolve };
};
export const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
export const isTooMany = (error: unknown) =>
  error instanceof ApiError && error.code === 'SERVER_TOO_MANY_REQUESTS' && error.retryAfter === 1;

/** A semaphore, and what went through it in order. */
export const watched = (limits: { atOnce?: number; queued?: number; queuedPerName?: number } = {}) => {
  const semaphore = createFairSemaphore({ atOnce: 1, queued: 100, queuedPerName: 100, ...limits });
  const begun: string[] = [];
  const refused: string[] = [];
  const ends = new Map<string, () => void>();
  const enter = (label: string, { signal = new AbortController().signal, ...applicant }: Partial<Applicant> & { from: string }) => {
    const { work, end } = piece();
    ends.set(label, end);
    return semaphore
      .run({ signal, ...applicant }, async () => {
        begun.push(label);
        await work();
      })
      .catch((error) => {
        if (!isTooMany(error)) throw error;
        refused.push(label);
      });
  };
  /** Ends what has begun, and whatever begins then, until nothing is left. */
  const finish = async () => {
    for (let done = 0; done < begun.length; ) {
      ends.get(begun[done++] ?? '')?.();
      await settled();
    }
  };
  return { semaphore, begun, refused, enter, end: (label: string) => ends.get(label)?.(), finish };
};
