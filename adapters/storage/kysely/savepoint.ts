import { type Connection, run } from './connection.ts';
import type { SqlEngine } from './engine/index.ts';
import { raw } from './sql.ts';

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
