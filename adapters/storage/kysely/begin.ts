/** Transactions of our own: begun with patience, committed or rolled back with their work. */
import { StorageError, type TransactionMode } from '../../../src/adapter-kit.ts';
import { type Connection, type Connections, run, translated } from './connection.ts';
import type { Engine } from './engine.ts';
import { patiently } from './patience.ts';
import { raw, type Sql, writtenOut } from './sql.ts';

/**
 * Runs `work` in a transaction. The connection is given back between attempts to begin, because whoever holds the lock may need it to finish.
 *
 * @param options how long to try, in milliseconds, and the lock to take first.
 * @throws WriteConflict when the database stayed locked; StoreUnavailable; whatever `work` throws.
 */
export const inTransaction = async <T>(
  engine: Engine,
  connections: Connections,
  { mode, lockTimeout, lock }: Begin,
  work: (connection: Connection) => Promise<T>,
): Promise<T> => {
  const attempt = () =>
    connections.use(async (connection) => {
      await begun(connection, [...engine.begin(mode, lockTimeout), ...(lock ? [writtenOut(lock).text] : [])]);
      return finished(engine, connection, work);
    });
  const outcome = await patiently(engine, lockTimeout, attempt).catch((error: unknown) => {
    throw translated(engine, error);
  });
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
};

export interface Begin {
  readonly mode: TransactionMode;
  readonly lockTimeout: number;
  readonly lock?: Sql | undefined;
}

const begun = async (connection: Connection, [begin = '', ...more]: readonly string[]): Promise<void> => {
  // Where that fails, the transaction that is open is none of ours.
  if (more.length === 0) return void (await connection.run(begin, []));
  try {
    if (connection.runAll) await connection.runAll([begin, ...more]);
    else for (const statement of [begin, ...more]) await connection.run(statement, []);
  } catch (error) {
    await connection.run('rollback', []).catch(() => undefined);
    throw error;
  }
};

/** Never rejects, so that only the beginning of a transaction is tried again. */
const finished = async <T>(
  engine: Engine,
  connection: Connection,
  work: (connection: Connection) => Promise<T>,
): Promise<{ readonly value: T } | { readonly error: unknown }> => {
  try {
    const value = await work(connection);
    const { rows } = await run(engine, connection, raw('commit'));
    // Work that went on after a statement failed: PostgreSQL rolls back then, and says so only here.
    if (isRolledBack(rows[0])) throw new StorageError('a statement of the transaction failed, and nothing of it was kept');
    return { value };
  } catch (error) {
    // The engine may have rolled back on its own, or be gone: the first error says why.
    await run(engine, connection, raw('rollback')).catch(() => undefined);
    return { error };
  }
};

const isRolledBack = (row: unknown): boolean => typeof row === 'object' && row !== null && 'command' in row && row.command === 'ROLLBACK';
