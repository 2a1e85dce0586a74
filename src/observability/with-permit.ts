import type { Semaphore } from '../concurrency/semaphore.ts';
import type { Observation } from './observation.ts';

/** Runs work with a permit, and measures the wait for it. @throws as `Semaphore.run` */
export const withPermit = <T>(
  semaphore: Pick<Semaphore, 'run'>,
  { observation, signal }: { readonly observation?: Observation | undefined; readonly signal?: AbortSignal },
  work: () => Promise<T>,
): Promise<T> => {
  if (!observation) return semaphore.run(work, signal);
  const admitted = observation.wait();
  return semaphore.run(() => {
    admitted();
    return work();
  }, signal);
};
