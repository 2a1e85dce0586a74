/** Transactions of our own: begun with patience, committed or rolled back with their work. */
import type { TransactionMode } from '../../../src/adapter-kit.ts';
import { type Connection, type Connections, run, translated } from './connection.ts';
import type { Engine } from './engine.ts';
import { patiently } from './patience.ts';
import { raw } from './sql.ts';

/**
 * Runs `work` in a transaction. The connection is given back between attempts to begin, because whoever holds the lock may need it to finish.
 *
 * @param lockTimeout how long to try, in milliseconds.
 * @throws WriteConflict when the database stayed locked; StoreUnavailable; whatever `work` throws.
 */
export const inTransaction = async <T>(
  engine: Engine,
  connections: Connections,
  mode: TransactionMode,
  lockTimeout: number,
  work: (connection: Connection) => Promise<T>,
): Promise<T> => {
  const attempt = () =>
    connections.use(async (connection) => {
      await connection.run(engine.begin[mode], []);
      return finished(engine, connection, work);
    });
  const outcome = await patiently(engine, lockTimeout, attempt).catch((error: unknown) => {
    throw translated(engine, error);
  });
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
};

/** Never rejects, so that only the beginning of a transaction is tried again. */
const finished = async <T>(
  engine: Engine,
  connection: Connection,
  work: (connection: Connection) => Promise<T>,
): Promise<{ readonly value: T } | { readonly error: unknown }> => {
  try {
    const value = await work(connection);
    await run(engine, connection, raw('commit'));
    return { value };
  } catch (error) {
    // The engine may have rolled back on its own, or be gone: the first error says why.
    await run(engine, connection, raw('rollback')).catch(() => undefined);
    return { error };
  }
};
