/** Transactions of our own: begun with patience, committed or rolled back with their work. */
import { StorageError, type TransactionMode } from '../../../src/adapter-kit.ts';
import { type Connection, type Connections, type Result, run, type Terms, translated } from './connection.ts';
import type { Engine, Limits } from './engine.ts';
import { patiently } from './patience.ts';
import { raw, type Sql, writtenOut } from './sql.ts';

/**
 * Runs `work` in a transaction. The connection is given back between attempts to begin, because the holder of the lock may need it to finish.
 * @throws StoreBusy when the database stayed locked; StoreUnavailable; the reason of `signal`; the error of `work`.
 */
export const inTransaction = async <T>(
  engine: Engine,
  connections: Connections,
  { mode, limits, first = [], begun, ...terms }: Begin,
  work: (connection: Connection) => Promise<T>,
): Promise<T> => {
  const { signal } = terms;
  const statements = [...engine.begin(mode, limits), ...first.map((statement) => writtenOut(statement).text)];
  const attempt = () =>
    connections.use(async (connection) => {
      signal?.throwIfAborted();
      const results = await opened(connection, statements);
      return finished(engine, connection, signal, async () => {
        begun?.(results.slice(-first.length));
        return work(connection);
      });
    }, terms);
  const outcome = await patiently(engine, limits.lockTimeout, attempt, signal).catch((error: unknown) => {
    throw signal?.aborted ? signal.reason : translated(engine, error);
  });
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
};

export interface Begin extends Terms {
  readonly mode: TransactionMode;
  readonly limits: Limits;
  /** Statements that come first, e.g. for a lock. */
  readonly first?: readonly Sql[];
  /** Looks at what these gave; what it throws ends the transaction. */
  begun?(results: readonly Result[]): void;
}

const opened = async (connection: Connection, statements: readonly string[]): Promise<readonly Result[]> => {
  const [begin = '', ...more] = statements;
  // Where that fails, the transaction that is open is none of ours.
  const results = connection.runAll ? [] : [await connection.run(begin, [])];
  try {
    if (connection.runAll) return await connection.runAll(statements);
    for (const statement of more) results.push(await connection.run(statement, []));
    return results;
  } catch (error) {
    await connection.run('rollback', []).catch(() => undefined);
    throw error;
  }
};

/** Never rejects, so that only the beginning of a transaction is tried again. */
const finished = async <T>(
  engine: Engine,
  connection: Connection,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<{ readonly value: T } | { readonly error: unknown }> => {
  try {
    const value = await work();
    signal?.throwIfAborted();
    const { rows } = await run(engine, connection, raw('commit'));
    // Work that went on after a statement failed: PostgreSQL rolls back then, and says so only here.
    if (isRolledBack(rows[0])) throw new StorageError('a statement of the transaction failed, and nothing of it was kept');
    return { value };
  } catch (error) {
    // The engine may have rolled back on its own, or be gone: the first error says why.
    await run(engine, connection, raw('rollback')).catch(() => undefined);
    return { error: signal?.aborted ? signal.reason : error };
  }
};

const isRolledBack = (row: unknown): boolean => typeof row === 'object' && row !== null && 'command' in row && row.command === 'ROLLBACK';
