import type { Semaphore } from '../concurrency/semaphore.ts';
import type { Observation } from './observation.ts';

/** Runs work with a permit, and measures the wait for it. @throws as `Semaphore.run` */
export const inTurn = <T>(
  turns: Pick<Semaphore, 'run'>,
  { observation, signal }: { readonly observation?: Observation | undefined; readonly signal?: AbortSignal },
  work: () => Promise<T>,
): Promise<T> => {
  if (!observation) return turns.run(work, signal);
  const admitted = observation.wait();
  return turns.run(() => {
    admitted();
    return work();
  }, signal);
};
