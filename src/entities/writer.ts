import type { Publisher } from '../changelog/publisher.ts';
import type { Semaphore } from '../concurrency/semaphore.ts';
import type { ReadCache } from '../read-cache/read-cache.ts';
import { WriteConflict } from '../storage/errors.ts';
import type { Store, Transaction } from '../storage/port.ts';
import { type Entities, type EntitiesContext, entitiesOf } from './entities.ts';

/**
 * Runs a write in a transaction of the controller: it waits for a permit, is atomic, is retried once on a conflict, and is announced after the
 * commit. Once `signal` is aborted, nothing is committed.
 * @throws ApiError `SERVER_TOO_MANY_REQUESTS` if too many writes wait; the reason of `signal`; errors of `work` and the store
 */
export type Write = <T>(context: EntitiesContext, signal: AbortSignal | undefined, work: (entities: Entities) => Promise<T>) => Promise<T>;

/** Runs the work of a write and, in the same transaction, its consequences. `isUnfinished`: some of these are left for `afterCommit`. */
export type AroundWrite = <T>(
  entities: Entities,
  work: (entities: Entities) => Promise<T>,
) => Promise<{ readonly result: T; readonly isUnfinished: boolean }>;

/** Run with every write: they keep derived state, such as sessions, consistent with what the write changed. */
export interface WriteHooks {
  readonly aroundWrite: AroundWrite;
  /** Post-commit hook: starts in the background what the transaction left unfinished. */
  afterCommit(): void;
}

export const createWriter =
  (store: Store, cache: ReadCache, publisher: Publisher, turns: Semaphore, { aroundWrite, afterCommit }: WriteHooks): Write =>
  (context, signal, work) =>
    turns.run(
      () =>
        retryOnConflict(async () => {
          signal?.throwIfAborted();
          const inTransaction = async (tx: Transaction) => {
            const entities = entitiesOf(tx, context, cache.writing);
            const done = await aroundWrite(entities, work);
            signal?.throwIfAborted();
            return { ...done, changes: entities.changes };
          };
          // The host's part in a change may take its time: others are not made to wait for it.
          const mayShareCommit = context.inTransaction === undefined;
          const { result, isUnfinished, changes } = await store.transaction('write', inTransaction, {
            mayShareCommit,
            ...(signal && { signal }),
          });
          cache.advance(changes);
          if (isUnfinished) afterCommit();
          // Announced before the call is answered. If the caller has given up, it still gets the result: the write is committed and must not seem to
          // have failed.
          await overOrAborted(publisher.announce(changes), signal);
          return result;
        }),
      { observation: context.observation, ...(signal && { signal }) },
    );

/** Resolves when `work`, which never rejects, has ended, or when `signal` is aborted; the work itself continues. */
const overOrAborted = (work: Promise<void>, signal: AbortSignal | undefined): Promise<void> =>
  signal === undefined
    ? work
    : new Promise((resolve) => {
        const over = () => {
          signal.removeEventListener('abort', over);
          resolve();
        };
        signal.addEventListener('abort', over);
        if (signal.aborted) over();
        else work.then(over, over);
      });

/** Retries a write once, on the new state, if it conflicted with another. */
const retryOnConflict = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof WriteConflict)) throw error;
    return work();
  }
};
