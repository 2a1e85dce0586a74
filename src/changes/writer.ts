import type { Semaphore } from '../concurrency/semaphore.ts';
import { inTurn } from '../observability/in-turn.ts';
import { WriteConflict } from '../storage/errors.ts';
import type { Store, Transaction } from '../storage/port.ts';
import { type Entities, type EntitiesContext, entitiesOf } from './entities.ts';
import type { Publisher } from './publisher.ts';

/**
 * The way of every write of a controller that is in no transaction of the host's: it waits for its turn, is all or nothing, runs once more when
 * another write came first, and is announced after the commit. Once `signal` is aborted nothing is committed any more.
 * @throws ApiError `SERVER_TOO_MANY_REQUESTS` when too many writes wait; the reason of `signal`; whatever `work` and the store throw
 */
export type Write = <T>(context: EntitiesContext, signal: AbortSignal | undefined, work: (entities: Entities) => Promise<T>) => Promise<T>;

/** Carries out the work of a write, and in the same transaction what every write brings with it. Says whether some of that is left to be done after the commit. */
export type CarryOut = <T>(
  entities: Entities,
  work: (entities: Entities) => Promise<T>,
) => Promise<{ readonly result: T; readonly isUnfinished: boolean }>;

/** What every write brings with it. */
export interface Upkeep {
  readonly carryOut: CarryOut;
  /** Does what was left, in the background. */
  goOn(): void;
}

export const createWriter =
  (store: Store, publisher: Publisher, turns: Semaphore, { carryOut, goOn }: Upkeep): Write =>
  (context, signal, work) =>
    inTurn(turns, context, () =>
      onceMore(async () => {
        signal?.throwIfAborted();
        const inTransaction = async (tx: Transaction) => {
          const entities = entitiesOf(tx, context);
          const carriedOut = await carryOut(entities, work);
          signal?.throwIfAborted();
          return { ...carriedOut, changes: entities.changes };
        };
        const { result, isUnfinished, changes } = await store.transaction('write', inTransaction, signal ? { signal } : {});
        if (isUnfinished) goOn();
        // A change is announced before it is answered, unless the caller waits no longer: it is committed, and must not seem to have failed.
        await overOrAborted(publisher.announce(changes), signal);
        return result;
      }),
    );

/** Waits until some work is over, which never rejects, or until `signal` is aborted: the work goes on then. */
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

/** A write that lost against another is run again once, on the new state. */
const onceMore = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof WriteConflict)) throw error;
    return work();
  }
};
