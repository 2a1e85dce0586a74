/** Runs statements on a connection of any driver, and translates its errors to those of the storage port. */
import type { IsolationLevel } from 'kysely';
import {
  clearTimeout,
  StorageError,
  StoreBusy,
  StoreUnavailable,
  setTimeout,
  ValueTooLong,
  WriteConflict,
  waitedFor,
} from '../../../src/adapter-kit.ts';
import type { SqlEngine } from './engine/index.ts';
import type { Failure } from './engine/transactions.ts';
import { rendered } from './render.ts';
import type { Result } from './result.ts';
import type { Sql } from './sql.ts';

/** One connection, while it is in use. */
export interface Connection {
  /** The host's object for this connection, which `Store.join` accepts while a transaction is open on it. */
  readonly host: unknown;
  /**
   * Runs a statement.
   * @param strings the text around the parameters. Default: the statement has no parameters
   */
  run(sql: string, parameters: readonly unknown[], strings?: readonly string[]): Promise<Result>;
  /** Like `run`, for a synchronous driver: returns a promise only for a large result, which saves a promise for all others. */
  runNow?(sql: string, parameters: readonly unknown[]): Result | Promise<Result>;
  /**
   * Runs statements without parameters in one round trip. Default: one after another.
   * @returns the result of each
   */
  runAll?(statements: readonly string[]): Promise<readonly Result[]>;
  /** Begins a transaction through the driver, for an engine with an `isolationLevel`. */
  begin?(isolationLevel: IsolationLevel): Promise<DriverTransaction>;
  /**
   * Sets the function that cancels a running statement of this connection, on another one. Only for drivers that cannot cancel by
   * themselves.
   */
  cancelWith?(stop: (other: Connection) => Promise<unknown>): void;
}

/** A transaction that the driver begins and ends. */
export interface DriverTransaction extends Connection {
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

export interface Connections {
  /**
   * Runs `work` with exclusive use of a connection.
   * @throws the reason of `options.signal` if it is aborted before a connection becomes free
   */
  use<T>(work: (connection: Connection) => Promise<T>, options?: UseOptions): Promise<T>;
  /**
   * An idle connection of a synchronous driver, for one short statement that the caller runs before it awaits anything. Undefined if all
   * connections are in use, which is also the default.
   */
  free?(): Connection | undefined;
}

/** Options of `Connections.use`. */
export interface UseOptions {
  /** Aborting it cancels the running statement, if the engine supports cancellation. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds to wait for the answer to a statement before the connection counts as lost. Default: no limit. */
  readonly answerTimeout?: number | undefined;
}

/** A violated unique constraint, before its column is mapped to a field. */
export class Taken extends StorageError {
  readonly column: string;
  constructor({ table, column }: Extract<Failure, { readonly is: 'unique' }>, options: ErrorOptions) {
    super(`${table}.${column} is taken`, options);
    this.column = column;
  }
}

/** @throws Taken, WriteConflict, StoreUnavailable; StorageError if the database refuses the statement */
export const run = async (engine: SqlEngine, connection: Connection, statement: Sql): Promise<Result> => {
  try {
    return await send(engine, connection, statement);
  } catch (error) {
    throw translated(engine, error);
  }
};

/** Like `run`, but throws the errors of the driver. */
export const send = (engine: SqlEngine, connection: Connection, statement: Sql): Result | Promise<Result> => {
  const { text, parameters, strings } = rendered(engine, statement);
  return connection.runNow ? connection.runNow(text, parameters) : connection.run(text, parameters, strings);
};

/** Translates an error of the driver. Returns it unchanged if the engine does not recognize it. */
export const translated = (engine: SqlEngine, error: unknown): unknown => {
  const failure = engine.failure(error);
  if (!failure) return error;
  const options = { cause: error };
  switch (failure.is) {
    case 'unique':
      return new Taken(failure, options);
    case 'conflict':
      return new WriteConflict('the database could not serialize the transaction', options);
    case 'busy':
      return new StoreBusy('the database is locked by another writer', options);
    case 'tooLong':
      return new ValueTooLong('a text is too long for an index of the database', options);
    case 'unavailable':
      return new StoreUnavailable(`the database is unavailable: ${textOf(error)}`, options);
    case 'other':
      return new StorageError(`the database refused a statement: ${textOf(error)}`, options);
  }
};

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * Limits the wait for a connection, which would be endless e.g. for a call within a transaction of the host that holds the connection.
 * Unlike the queue `Turns`, it works with connections from any source. Waiting callers get StoreBusy after the timeout.
 * @param timeout time to wait for a connection. ms
 */
export const limitWait = (timeout: number, connections: Connections): Connections => ({
  ...connections,
  use: <T>(work: (connection: Connection) => Promise<T>, options?: UseOptions) =>
    new Promise<T>((resolve, reject) => {
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        reject(waitedFor(timeout));
      }, timeout);
      const inTime = async (connection: Connection) => {
        clearTimeout(timer);
        if (isLate) throw waitedFor(timeout);
        return work(connection);
      };
      connections
        .use(inTime, options)
        .finally(() => clearTimeout(timer))
        .then(resolve, reject);
    }),
});

/** Serializes the writers of this process, so that writers waiting for the lock do not occupy connections that readers could use. */
export const serialized = (connections: Connections): Connections => {
  let last: Promise<unknown> = Promise.resolve();
  return {
    use(work, options) {
      const result = last.then(() => {
        // The signal may have been aborted during the wait.
        options?.signal?.throwIfAborted();
        return connections.use(work, options);
      });
      last = result.catch(() => undefined);
      return result;
    },
  };
};
