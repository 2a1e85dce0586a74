import type { Semaphore } from '../../runtime/concurrency/semaphore.ts';
import type { Publisher } from '../changelog/publisher.ts';
import type { ReadCache } from '../read-cache/read-cache.ts';
import { WriteConflict } from '../storage/errors.ts';
import type { Store, Transaction } from '../storage/port.ts';
import { type Entities, type EntitiesContext, entitiesOf } from './entities.ts';

/**
 * Runs a write in a transaction of the controller. Waits for a permit, retries once after a conflict, and publishes the changes after the
 * commit. Once `signal` is aborted, nothing is committed.
 * @throws ApiError `SERVER_TOO_MANY_REQUESTS` if too many writes are waiting; the reason of `signal`; errors of `work` and the store
 */
export type Write = <T>(context: EntitiesContext, signal: AbortSignal | undefined, work: (entities: Entities) => Promise<T>) => Promise<T>;

/**
 * Runs the work of a write and, in the same transaction, its consequences. `isUnfinished` is true if some of them are left to
 * `afterCommit`.
 */
export type AroundWrite = <T>(
  entities: Entities,
  work: (entities: Entities) => Promise<T>,
) => Promise<{ readonly result: T; readonly isUnfinished: boolean }>;

/** Hooks that run with every write, to keep dependent state, such as sessions, consistent with it. */
export interface WriteHooks {
  readonly aroundWrite: AroundWrite;
  /** Starts the unfinished consequences in the background. */
  afterCommit(): void;
}

export interface WriterOptions {
  readonly store: Store;
  readonly cache: Pick<ReadCache, 'writing' | 'advance'>;
  readonly publisher: Publisher;
  /** Limits the number of concurrent writes. */
  readonly semaphore: Semaphore;
  readonly hooks: WriteHooks;
}

export const createWriter = ({ store, cache, publisher, semaphore, hooks }: WriterOptions): Write => {
  const commit = async <T>(context: EntitiesContext, signal: AbortSignal | undefined, work: (entities: Entities) => Promise<T>) => {
    signal?.throwIfAborted();
    const inTransaction = async (tx: Transaction) => {
      const entities = entitiesOf(tx, context, cache.writing);
      const outcome = await hooks.aroundWrite(entities, work);
      signal?.throwIfAborted();
      return { ...outcome, changes: entities.allChanges };
    };
    // A callback of the host may be slow, so other writes must not wait for it.
    const mayShareCommit = context.inTransaction === undefined;
    return store.transaction('write', inTransaction, { mayShareCommit, ...(signal && { signal }) });
  };
  return (context, signal, work) => {
    const write = async () => {
      const { result, isUnfinished, changes } = await commit(context, signal, work);
      cache.advance(changes);
      if (isUnfinished) hooks.afterCommit();
      // Publishes the changes before the call resolves. Even if the caller has aborted, it still gets the result, because the write is
      // committed and must not seem to have failed.
      await settledOrAborted(publisher.announce(changes), signal);
      return result;
    };
    return semaphore.run(() => retryOnConflict(write), { observation: context.observation, ...(signal && { signal }) });
  };
};

/**
 * Runs `work` and the checks before the commit like a write, then `gather` on the resulting state, and rolls everything back: nothing is
 * committed, published or cached, and the host's hook `inTransaction` does not run. The function that `gather` resolves to is called after
 * the rollback, so that other writes need not wait for it.
 * @returns the result of that function
 * @throws as `Write`
 */
export type Rehearse = <T, R>(
  context: EntitiesContext,
  signal: AbortSignal | undefined,
  work: (entities: Entities) => Promise<T>,
  gather: (entities: Entities, result: T) => Promise<() => Promise<R>>,
) => Promise<R>;

/** Each rehearsal requires a permit of both: the gathered state is in memory until the rehearsal ends, and its transaction is a write. */
interface RehearsalPermits {
  readonly rehearsals: Semaphore;
  readonly writes: Semaphore;
}

export const createRehearsal =
  (
    store: Store,
    cache: Pick<ReadCache, 'writing'>,
    { rehearsals, writes }: RehearsalPermits,
    { aroundWrite }: Pick<WriteHooks, 'aroundWrite'>,
  ): Rehearse =>
  (context, signal, work, gather) => {
    const caller = { observation: context.observation, ...(signal && { signal }) };
    const rehearse = async () => {
      signal?.throwIfAborted();
      let rollback: RolledBack<Awaited<ReturnType<typeof gather>>> | undefined;
      const inTransaction = async (tx: Transaction): Promise<never> => {
        const entities = entitiesOf(tx, { ...context, inTransaction: undefined, isRehearsal: true }, cache.writing);
        const { result } = await aroundWrite(entities, work);
        await tx.beforeCommit?.();
        rollback = new RolledBack(await gather(entities, result));
        throw rollback;
      };
      try {
        // Takes longer than a write, so other writes do not wait for it to share their commit.
        return await store.transaction('write', inTransaction, { ...(signal && { signal }) });
      } catch (error) {
        if (rollback === undefined || error !== rollback) throw error;
        return rollback.gathered;
      }
    };
    return rehearsals.run(async () => {
      const conclude = await writes.run(() => retryOnConflict(rehearse), caller);
      return conclude();
    }, caller);
  };

/** Thrown to roll back the transaction of a rehearsal. */
class RolledBack<R> extends Error {
  override readonly name = 'RolledBack';
  readonly gathered: R;

  constructor(gathered: R) {
    super('the rehearsal is over');
    this.gathered = gathered;
  }
}

/** Resolves when `work` has settled or `signal` is aborted. An abort does not stop the work. */
const settledOrAborted = (work: Promise<void>, signal: AbortSignal | undefined): Promise<void> =>
  signal === undefined
    ? work
    : new Promise((resolve) => {
        const finish = () => {
          signal.removeEventListener('abort', finish);
          resolve();
        };
        signal.addEventListener('abort', finish);
        if (signal.aborted) finish();
        else work.then(finish, finish);
      });

/** Retries a write once if it conflicted with another one. */
const retryOnConflict = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof WriteConflict)) throw error;
    return work();
  }
};
