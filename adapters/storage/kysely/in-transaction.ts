import { type Connection, type Connections, translated, type UseOptions } from './connection.ts';
import type { SqlEngine } from './engine/index.ts';
import { type OpenTransaction, type OpenTransactionOptions, openTransaction } from './open-transaction.ts';
import type { Result } from './result.ts';
import { retryWhileBusy } from './retry-while-busy.ts';
import type { Sql } from './sql.ts';

export interface BeginOptions extends UseOptions, Omit<OpenTransactionOptions, 'first'> {
  /** Statements that run first, e.g. to take a lock. */
  readonly first?: OpenTransactionOptions['first'];
  /** Receives the results of `first`. If it throws, the transaction is rolled back. */
  onBegun?(results: readonly Result[]): void;
  /** Statements that run last, right before the commit. Default: none. */
  last?(): readonly Sql[];
}

/**
 * Runs `work` in a transaction of the store itself. The connection is released between attempts to begin, because the holder of the lock
 * may need it to finish.
 * @throws StoreBusy if the database stayed locked; StoreUnavailable; the reason of `signal`; the error of `work`.
 */
export const inTransaction = async <T>(
  engine: SqlEngine,
  connections: Connections,
  { mode, limits, first = [], onBegun, last, ...options }: BeginOptions,
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

/** Never rejects, so that the caller retries only the beginning of a transaction, never its work. */
const runToEnd = async <T>(
  transaction: OpenTransaction,
  signal: AbortSignal | undefined,
  last: BeginOptions['last'],
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
