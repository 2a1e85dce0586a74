/** Runs the store's own transactions. Beginning is retried while the database is locked; if the work fails, the transaction is rolled back. */

import { performanceNow, setTimeout } from '../../../src/adapter-kit.ts';
import { type Connection, type Connections, run, translated, type UseOptions } from './connection.ts';
import type { SqlEngine } from './engine/index.ts';
import { type Beginning, type OpenTransaction, openTransaction } from './open-transaction.ts';
import type { Result } from './result.ts';
import { raw, type Sql } from './sql.ts';

/** Maximum pause between two attempts, in milliseconds. */
const MAX_PAUSE = 50;

/**
 * Retries `attempt` with exponential backoff while it fails because of a lock, for at most `timeout` milliseconds or until `signal` is aborted. If SQLite
 * itself waited for the lock, it would block the event loop.
 */
export const retryWhileBusy = async <T>(
  engine: Pick<SqlEngine, 'failure'>,
  timeout: number,
  attempt: () => T | Promise<T>,
  signal?: AbortSignal,
): Promise<T> => {
  const deadline = performanceNow() + timeout;
  for (let pause = 1; ; pause = Math.min(2 * pause, MAX_PAUSE)) {
    try {
      return await attempt();
    } catch (error) {
      if (engine.failure(error)?.is !== 'busy' || performanceNow() + pause > deadline || signal?.aborted) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
};

/**
 * Runs `work` in a transaction. The connection is released between attempts to begin, because the holder of the lock may need it to finish.
 * @throws StoreBusy if the database stayed locked; StoreUnavailable; the reason of `signal`; the error of `work`.
 */
export const inTransaction = async <T>(
  engine: SqlEngine,
  connections: Connections,
  { mode, limits, first = [], onBegun, last, ...options }: Begin,
  work: (connection: Connection) => Promise<T>,
): Promise<T> => {
  const { signal } = options;
  const attempt = () =>
    connections.use(async (connection) => {
      signal?.throwIfAborted();
      const transaction = await openTransaction(engine, connection, { mode, limits, first });
      return runToEnd(transaction, signal, last, async () => {
        onBegun?.(transaction.first);
        return work(transaction.connection);
      });
    }, options);
  const outcome = await retryWhileBusy(engine, limits.lockTimeout, attempt, signal).catch((error: unknown) => {
    throw signal?.aborted ? signal.reason : translated(engine, error);
  });
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
};

export interface Begin extends UseOptions, Omit<Beginning, 'first'> {
  /** Statements that run first, e.g. to take a lock. */
  readonly first?: Beginning['first'];
  /** Receives the results of `first`. If it throws, the transaction is rolled back. */
  onBegun?(results: readonly Result[]): void;
  /** Statements that run last, right before the commit. Default: none. */
  last?(): readonly Sql[];
}

/** Never rejects, so that the caller retries only the beginning of a transaction, never its work. */
const runToEnd = async <T>(
  transaction: OpenTransaction,
  signal: AbortSignal | undefined,
  last: Begin['last'],
  work: () => Promise<T>,
): Promise<{ readonly value: T } | { readonly error: unknown }> => {
  try {
    const value = await work();
    signal?.throwIfAborted();
    await transaction.commit(last?.() ?? []);
    return { value };
  } catch (error) {
    // The database may have rolled back by itself, or be unreachable. The first error is the one to report.
    await transaction.rollback().catch(() => undefined);
    return { error: signal?.aborted ? signal.reason : error };
  }
};

const BEGIN = raw('savepoint part');
const RELEASE = raw('release part');
const ROLL_BACK = raw('rollback to part');

/**
 * Runs `work` in a savepoint, and rolls back to the savepoint if the work fails. Savepoints cannot be nested.
 * @returns the outcome of the work
 * @throws StorageError if the database has already rolled back the whole transaction
 */
export const savepoint = async <T>(engine: SqlEngine, connection: Connection, work: () => Promise<T>): Promise<PromiseSettledResult<T>> => {
  await run(engine, connection, BEGIN);
  const [result] = await Promise.allSettled([work()]);
  if (result.status === 'rejected') await run(engine, connection, ROLL_BACK);
  await run(engine, connection, RELEASE);
  return result;
};
