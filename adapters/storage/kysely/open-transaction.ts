/** Begins and ends transactions: by statements, one after another or in one message, or through the driver. */
import type { IsolationLevel } from 'kysely';
import { StorageError, type TransactionMode } from '../../../src/adapter-kit.ts';
import { type Connection, run, send, translated } from './connection.ts';
import type { SqlEngine } from './engine/index.ts';
import type { Limits } from './engine/transactions.ts';
import { writtenOut } from './render.ts';
import type { Result } from './result.ts';
import { raw, type Sql } from './sql.ts';

export interface Beginning {
  readonly mode: TransactionMode;
  readonly limits: Limits;
  /** Statements that run first in the transaction. */
  readonly first: readonly Sql[];
}

export interface OpenTransaction {
  readonly connection: Connection;
  /** The results of the first statements. */
  readonly first: readonly Result[];
  /** @param last statements that run before @throws StoreUnavailable, WriteConflict, StorageError */
  commit(last: readonly Sql[]): Promise<void>;
  rollback(): Promise<void>;
}

/** @throws the error of the driver, after a rollback */
export const openTransaction = (engine: SqlEngine, connection: Connection, beginning: Beginning): Promise<OpenTransaction> => {
  const isolationLevel = engine.isolationLevel?.(beginning.mode);
  if (isolationLevel !== undefined) return begunByDriver(engine, connection, beginning, isolationLevel);
  return isBatchConnection(connection) ? begunAtOnce(engine, connection, beginning) : begunInOrder(engine, connection, beginning);
};

const begunInOrder = async (engine: SqlEngine, connection: Connection, { mode, limits, first }: Beginning): Promise<OpenTransaction> => {
  const [begin = '', ...more] = engine.begin(mode, limits);
  // Not rolled back if it fails: a transaction that is still open belongs to the host.
  await connection.run(begin, []);
  const transaction = byStatements(engine, connection);
  return { ...transaction, first: await orRolledBack(transaction, runInOrder(engine, connection, more, first)) };
};

type BatchConnection = Connection & Required<Pick<Connection, 'runAll'>>;
const isBatchConnection = (connection: Connection): connection is BatchConnection => connection.runAll !== undefined;

/** Several statements in one message cannot have parameters, so their values are literals. */
const begunAtOnce = async (
  engine: SqlEngine,
  connection: BatchConnection,
  { mode, limits, first }: Beginning,
): Promise<OpenTransaction> => {
  const begin = engine.begin(mode, limits);
  const transaction = byStatements(engine, connection);
  const statements = [...begin, ...first.map((statement) => writtenOut(engine, statement))];
  const results = await orRolledBack(transaction, connection.runAll(statements));
  return { ...transaction, first: results.slice(begin.length) };
};

const begunByDriver = async (
  engine: SqlEngine,
  connection: Connection,
  { mode, limits, first }: Beginning,
  isolationLevel: IsolationLevel,
): Promise<OpenTransaction> => {
  if (!connection.begin)
    throw new TypeError('the engine has an isolationLevel, but the connection cannot begin transactions: startTransaction is missing');
  const driven = await connection.begin(isolationLevel);
  const transaction = {
    connection: driven,
    async commit(last: readonly Sql[]) {
      for (const statement of last) await run(engine, driven, statement);
      await driven.commit().catch((error: unknown) => {
        throw translated(engine, error);
      });
    },
    rollback: () => driven.rollback(),
  };
  const begun = runInOrder(engine, driven, engine.begin(mode, limits), first);
  return { ...transaction, first: await orRolledBack(transaction, begun) };
};

const byStatements = (engine: SqlEngine, connection: Connection): Omit<OpenTransaction, 'first'> => ({
  connection,
  async commit(last) {
    const result = await runLast(engine, connection, [...last, COMMIT]);
    // Some databases roll back if work continued after a failed statement, and report it only here.
    if (result && engine.isRolledBack?.(result))
      throw new StorageError('a statement of the transaction failed, and nothing of it was kept');
  },
  async rollback() {
    await connection.run('rollback', []);
  },
});

const COMMIT = raw('commit');

/** In one message if there is more than one and the connection supports it. @returns the result of the last */
const runLast = async (engine: SqlEngine, connection: Connection, statements: readonly Sql[]): Promise<Result | undefined> => {
  if (statements.length > 1 && isBatchConnection(connection)) {
    const sent = connection.runAll(statements.map((statement) => writtenOut(engine, statement)));
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

const orRolledBack = async <T>({ rollback }: Pick<OpenTransaction, 'rollback'>, begun: Promise<T>): Promise<T> => {
  try {
    return await begun;
  } catch (error) {
    await rollback().catch(() => undefined);
    throw error;
  }
};
