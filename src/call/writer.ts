import { type Entities, type EntitiesContext, entitiesOf } from '../changes/entities.ts';
import type { Publisher } from '../changes/publisher.ts';
import { WriteConflict } from '../storage/errors.ts';
import type { Store } from '../storage/port.ts';
import type { Gate } from './gate.ts';

/**
 * The way of every write of a controller that is in no transaction of the host's: it waits for its turn, is all or nothing, runs once more when
 * another write came first, and is announced after the commit. Once `signal` is aborted nothing is committed any more.
 * @throws ApiError `SERVER_TOO_MANY_REQUESTS` when too many writes wait; the reason of `signal`; whatever `work` and the store throw
 */
export type Write = <T>(context: EntitiesContext, signal: AbortSignal, work: (entities: Entities) => Promise<T>) => Promise<T>;

export const createWriter =
  (store: Store, publisher: Publisher, gate: Gate): Write =>
  (context, signal, work) =>
    gate.pass(() =>
      onceMore(async () => {
        signal.throwIfAborted();
        const { result, changes } = await store.transaction('write', async (tx) => {
          const entities = entitiesOf(tx, context);
          const result = await work(entities);
          signal.throwIfAborted();
          return { result, changes: entities.changes };
        });
        await publisher.announce(changes);
        return result;
      }),
    );

/** A write that lost against another is run again once, on the new state. */
const onceMore = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof WriteConflict)) throw error;
    return work();
  }
};
