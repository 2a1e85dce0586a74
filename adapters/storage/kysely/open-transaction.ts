/** Begins and ends transactions: with statements, which are sent one by one or in one message, or through the driver. */
import type { IsolationLevel } from 'kysely';
import { StorageError, type TransactionMode } from '../../../src/adapter-kit.ts';
import { type Connection, run, send, translated } from './connection.ts';
import type { SqlEngine } from './engine/index.ts';
import type { Limits } from './engine/transactions.ts';
import { inlineLiterals } from './render.ts';
import type { Result } from './result.ts';
import { raw, type Sql } from './sql.ts';

export interface OpenTransactionOptions {
  readonly mode: TransactionMode;
  readonly limits: Limits;
  /** Statements that run first in the transaction. */
  readonly first: readonly Sql[];
}

export interface OpenTransaction {
  readonly connection: Connection;
  /** The results of the first statements. */
  readonly first: readonly Result[];
  /**
   * @param last statements that run right before the commit
   * @throws StoreUnavailable, WriteConflict, StorageError
   */
  commit(last: readonly Sql[]): Promise<void>;
  rollback(): Promise<void>;
}

/** @throws the error of the driver, after a rollback */
export const openTransaction = (engine: SqlEngine, connection: Connection, beginning: OpenTransactionOptions): Promise<OpenTransaction> => {
  const isolationLevel = engine.isolationLevel?.(beginning.mode);
  if (isolationLevel !== undefined) return beginByDriver(engine, connection, beginning, isolationLevel);
  return isBatchConnection(connection) ? beginInOneMessage(engine, connection, beginning) : beginInOrder(engine, connection, beginning);
};

const beginInOrder = async (
  engine: SqlEngine,
  connection: Connection,
  { mode, limits, first }: OpenTransactionOptions,
): Promise<OpenTransaction> => {
  const [begin = '', ...more] = engine.begin(mode, limits);
  // If this fails, nothing is rolled back: a transaction that is already open on the connection belongs to the host.
  await connection.run(begin, []);
  const transaction = byStatements(engine, connection);
  return { ...transaction, first: await rollBackOnError(transaction, runInOrder(engine, connection, more, first)) };
};

type BatchConnection = Connection & Required<Pick<Connection, 'runAll'>>;
const isBatchConnection = (connection: Connection): connection is BatchConnection => connection.runAll !== undefined;

/** Several statements in one message cannot have parameters, so their values are literals. */
const beginInOneMessage = async (
  engine: SqlEngine,
  connection: BatchConnection,
  { mode, limits, first }: OpenTransactionOptions,
): Promise<OpenTransaction> => {
  const begin = engine.begin(mode, limits);
  const transaction = byStatements(engine, connection);
  const statements = [...begin, ...first.map((statement) => inlineLiterals(engine, statement))];
  const results = await rollBackOnError(transaction, connection.runAll(statements));
  return { ...transaction, first: results.slice(begin.length) };
};

const beginByDriver = async (
  engine: SqlEngine,
  connection: Connection,
  { mode, limits, first }: OpenTransactionOptions,
  isolationLevel: IsolationLevel,
): Promise<OpenTransaction> => {
  if (!connection.begin)
    throw new TypeError('the engine has an isolationLevel, but the connection cannot begin transactions: startTransaction is missing');
  const driverTransaction = await connection.begin(isolationLevel);
  const transaction = {
    connection: driverTransaction,
    async commit(last: readonly Sql[]) {
      for (const statement of last) await run(engine, driverTransaction, statement);
      await driverTransaction.commit().catch((error: unknown) => {
        throw translated(engine, error);
      });
    },
    rollback: () => driverTransaction.rollback(),
  };
  const results = runInOrder(engine, driverTransaction, engine.begin(mode, limits), first);
  return { ...transaction, first: await rollBackOnError(transaction, results) };
};

const byStatements = (engine: SqlEngine, connection: Connection): Omit<OpenTransaction, 'first'> => ({
  connection,
  async commit(last) {
    const result = await runLast(engine, connection, [...last, COMMIT]);
    // Some databases roll back if work continued after a failed statement, and report the rollback only in the result of the commit.
    if (result && engine.isRolledBack?.(result))
      throw new StorageError('a statement of the transaction failed, and the transaction was rolled back');
  },
  async rollback() {
    await connection.run('rollback', []);
  },
});

const COMMIT = raw('commit');

/**
 * Runs statements, several in one message if the connection supports it.
 * @returns the result of the last one
 */
const runLast = async (engine: SqlEngine, connection: Connection, statements: readonly Sql[]): Promise<Result | undefined> => {
  if (statements.length > 1 && isBatchConnection(connection)) {
    const sent = connection.runAll(statements.map((statement) => inlineLiterals(engine, statement)));
    const results = await sent.catch((error: unknown) => {
      throw translated(engine, error);
    });
    return results.at(-1);
  }
  let result: Result | undefined;
  for (const statement of statements) result = await run(engine, connection, statement);
  return result;
};

/** @returns the results of `first`, which run after the statements of `begin` */
const runInOrder = async (
  engine: SqlEngine,
  connection: Connection,
  begin: readonly string[],
  first: readonly Sql[],
): Promise<readonly Result[]> => {
  for (const statement of begin) await connection.run(statement, []);
  await prepareCancellation(engine, connection);
  const results: Result[] = [];
  for (const statement of first) results.push(await send(engine, connection, statement));
  return results;
};

/** Reads the session's id within the transaction, because a pooler may change the server's connection between transactions. */
const prepareCancellation = async (engine: SqlEngine, connection: Connection): Promise<void> => {
  const { cancellation } = engine;
  if (!cancellation || !connection.cancelWith) return;
  const { rows } = await send(engine, connection, cancellation.session);
  const session = Number(rows[0]?.value);
  connection.cancelWith(async (other) => send(engine, other, cancellation.stop(session)));
};

const rollBackOnError = async <T>({ rollback }: Pick<OpenTransaction, 'rollback'>, work: Promise<T>): Promise<T> => {
  try {
    return await work;
  } catch (error) {
    await rollback().catch(() => undefined);
    throw error;
  }
};
