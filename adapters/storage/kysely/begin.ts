/** Transactions of our own: begun with patience, committed or rolled back with their work. */
import { type Connection, type Connections, type Terms, translated } from './connection.ts';
import type { SqlEngine } from './engine/index.ts';
import { type Beginning, type OpenTransaction, openTransaction } from './open-transaction.ts';
import { patiently } from './patience.ts';
import type { Result } from './result.ts';

/**
 * Runs `work` in a transaction. The connection is given back between attempts to begin, because the holder of the lock may need it to finish.
 * @throws StoreBusy when the database stayed locked; StoreUnavailable; the reason of `signal`; the error of `work`.
 */
export const inTransaction = async <T>(
  engine: SqlEngine,
  connections: Connections,
  { mode, limits, first = [], begun, ...terms }: Begin,
  work: (connection: Connection) => Promise<T>,
): Promise<T> => {
  const { signal } = terms;
  const attempt = () =>
    connections.use(async (connection) => {
      signal?.throwIfAborted();
      const transaction = await openTransaction(engine, connection, { mode, limits, first });
      return finished(transaction, signal, async () => {
        begun?.(transaction.first);
        return work(transaction.connection);
      });
    }, terms);
  const outcome = await patiently(engine, limits.lockTimeout, attempt, signal).catch((error: unknown) => {
    throw signal?.aborted ? signal.reason : translated(engine, error);
  });
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
};

export interface Begin extends Terms, Omit<Beginning, 'first'> {
  /** Statements that come first, e.g. for a lock. */
  readonly first?: Beginning['first'];
  /** Looks at what these gave; what it throws ends the transaction. */
  begun?(results: readonly Result[]): void;
}

/** Never rejects, so that only the beginning of a transaction is tried again. */
const finished = async <T>(
  transaction: OpenTransaction,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<{ readonly value: T } | { readonly error: unknown }> => {
  try {
    const value = await work();
    signal?.throwIfAborted();
    await transaction.commit();
    return { value };
  } catch (error) {
    // The engine may have rolled back on its own, or be gone: the first error says why.
    await transaction.rollback().catch(() => undefined);
    return { error: signal?.aborted ? signal.reason : error };
  }
};
