/** Running our statements on a connection, whoever brings it, with errors as the port's. */
import type { IsolationLevel } from 'kysely';
import { StorageError, StoreBusy, StoreUnavailable, ValueTooLong, WriteConflict } from '../../../src/adapter-kit.ts';
import type { SqlEngine } from './engine/index.ts';
import type { Failure } from './engine/transactions.ts';
import { rendered } from './render.ts';
import type { Result } from './result.ts';
import type { Sql } from './sql.ts';

/** One connection, as long as it is ours. */
export interface Connection {
  /** The connection as the host knows it, which `join` takes while a transaction is open on it. */
  readonly host: unknown;
  /** @param strings the text around the parameters. Default: there are none */
  run(sql: string, parameters: readonly unknown[], strings?: readonly string[]): Promise<Result>;
  /** Statements without parameters, at once. Default: one after another. @returns what each of them gave */
  runAll?(statements: readonly string[]): Promise<readonly Result[]>;
  /** Begins a transaction by the driver's own means, for an engine with an `isolationLevel`. */
  begin?(isolationLevel: IsolationLevel): Promise<DriverTransaction>;
  /** Takes what stops a statement of this connection, on another one, where it has no means of its own and its caller may give up. */
  stopBy?(stop: (other: Connection) => Promise<unknown>): void;
}

/** A transaction that the driver began, and ends. */
export interface DriverTransaction extends Connection {
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

export interface Connections {
  /** Runs `work` with exclusive use of a connection. @throws the reason of `terms.signal`, once aborted before there is one */
  use<T>(work: (connection: Connection) => Promise<T>, terms?: Terms): Promise<T>;
}

/** On which terms a connection is used. */
export interface Terms {
  /** Once aborted, the statement that is running is stopped, where the engine can. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds after which a statement that was not answered means that the connection is lost. Default: never. */
  readonly answerTimeout?: number | undefined;
}

/** A taken unique value, before it is known what its column means. */
export class Taken extends StorageError {
  readonly column: string;
  constructor({ table, column }: Extract<Failure, { readonly is: 'unique' }>, options: ErrorOptions) {
    super(`${table}.${column} is taken`, options);
    this.column = column;
  }
}

/** @throws Taken, WriteConflict, StoreUnavailable, StorageError for what the engine refuses. */
export const run = async (engine: SqlEngine, connection: Connection, statement: Sql): Promise<Result> => {
  try {
    return await send(engine, connection, statement);
  } catch (error) {
    throw translated(engine, error);
  }
};

/** The same with the errors of the driver. */
export const send = (engine: SqlEngine, connection: Connection, statement: Sql): Promise<Result> => {
  const { text, parameters, strings } = rendered(engine, statement);
  return connection.run(text, parameters, strings);
};

/** Errors that are none of the engine's stay as they are. */
export const translated = (engine: SqlEngine, error: unknown): unknown => {
  const failure = engine.failure(error);
  if (!failure) return error;
  const options = { cause: error };
  switch (failure.is) {
    case 'unique':
      return new Taken(failure, options);
    case 'conflict':
      return new WriteConflict('the database could not serialise the transaction', options);
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
