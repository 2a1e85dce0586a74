/** A pool of `node:sqlite` connections. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import { spendTimeSlice, Turns, yieldToEventLoop } from '../../../../src/adapter-kit.ts';
import type { Connection, Connections, UseOptions } from '../connection.ts';
import type { Result, ResultRow } from '../result.ts';

export class SqlitePool implements Connections {
  readonly #open: () => SqliteConnection;
  readonly #max: number;
  readonly #all: SqliteConnection[] = [];
  readonly #idle: SqliteConnection[] = [];
  readonly #turns = new Turns<SqliteConnection>();
  readonly #timeout: number;

  /**
   * @param max the maximum number of connections
   * @param timeout time to wait for a connection. ms
   */
  constructor(open: () => SqliteConnection, max: number, timeout: number) {
    this.#open = open;
    this.#max = max;
    this.#timeout = timeout;
  }

  async use<T>(work: (connection: Connection) => Promise<T>, options?: UseOptions): Promise<T> {
    const connection = await this.acquire();
    try {
      // The caller may have aborted while waiting.
      options?.signal?.throwIfAborted();
      return await work(connection);
    } finally {
      this.release(connection);
    }
  }

  free(): Connection | undefined {
    return this.#idle.at(-1);
  }

  /** @throws StoreBusy if no connection becomes free in time */
  async acquire(): Promise<SqliteConnection> {
    const idle = this.#idle.pop();
    if (idle) return idle;
    if (this.#all.length === this.#max) return this.#turns.wait(this.#timeout);
    const connection = this.#open();
    this.#all.push(connection);
    return connection;
  }

  release(connection: SqliteConnection): void {
    connection.stopReading();
    if (!this.#turns.pass(connection)) this.#idle.push(connection);
  }

  close(): void {
    for (const { database } of this.#all) if (database.isOpen) database.close();
  }
}

interface PreparedStatement {
  readonly statement: StatementSync;
  readonly returnsRows: boolean;
  readonly readsDocuments: boolean;
}

/** Maximum number of prepared statements per connection. */
const MAX_STATEMENTS = 256;

export class SqliteConnection implements Connection {
  readonly database: DatabaseSync;
  readonly #statements = new LRUCache<string, PreparedStatement>({ max: MAX_STATEMENTS });
  /** Statements that are being read in parts. */
  readonly #reading = new Set<Iterator<ResultRow>>();

  constructor(database: DatabaseSync) {
    this.database = database;
  }

  get host(): DatabaseSync {
    return this.database;
  }

  async run(sql: string, parameters: readonly unknown[]): Promise<Result> {
    return this.runNow(sql, parameters);
  }

  /** Returns a promise if the documents are large, because they are then read in parts. */
  runNow(sql: string, parameters: readonly unknown[] = []): Result | Promise<Result> {
    const prepared = this.#prepare(sql);
    if (!prepared.readsDocuments) return runPrepared(prepared, parameters);
    const rest = prepared.statement.iterate(...bound(parameters));
    const rows: ResultRow[] = [];
    return readPart(rest, rows) ? { rows, written: 0 } : this.#readRest(sql, rest, rows);
  }

  /** Runs a statement, and reads its entire result synchronously. */
  runWhole(sql: string, parameters: readonly unknown[] = []): Result {
    return runPrepared(this.#prepare(sql), parameters);
  }

  async #readRest(sql: string, rest: Iterator<ResultRow>, rows: ResultRow[]): Promise<Result> {
    const prepared = this.#statements.get(sql);
    // Taken from the cache, because another call of the same statement would reset it.
    this.#statements.delete(sql);
    this.#reading.add(rest);
    do {
      await yieldToEventLoop();
      if (!this.#reading.has(rest)) throw new TypeError('the transaction is over');
    } while (!readPart(rest, rows));
    this.#reading.delete(rest);
    if (prepared) this.#statements.set(sql, prepared);
    return { rows, written: 0 };
  }

  /** Ends unfinished reads. An unfinished statement would keep the next transaction in the snapshot of this one. */
  stopReading(): void {
    for (const rest of this.#reading) rest.return?.();
    this.#reading.clear();
  }

  #prepare(sql: string): PreparedStatement {
    const cached = this.#statements.get(sql);
    if (cached) return cached;
    const statement = this.database.prepare(sql);
    const names = statement.columns().map(({ name }) => name);
    const prepared = { statement, returnsRows: names.length > 0, readsDocuments: names.at(-1) === 'document' };
    this.#statements.set(sql, prepared);
    return prepared;
  }
}

const runPrepared = ({ statement, returnsRows }: PreparedStatement, parameters: readonly unknown[]): Result => {
  spendTimeSlice(charactersIn(parameters) / CHARACTERS_PER_SLICE);
  if (returnsRows) return { rows: statement.all(...bound(parameters)), written: 0 };
  return { rows: [], written: Number(statement.run(...bound(parameters)).changes) };
};

/** Number of characters of documents to read or write per slice of the event loop. */
const CHARACTERS_PER_SLICE = 524_288;

const charactersIn = (parameters: readonly unknown[]): number => {
  let sum = 0;
  for (const parameter of parameters) if (typeof parameter === 'string') sum += parameter.length;
  return sum;
};

/** @returns true if the end of the result was reached */
const readPart = (rest: Iterator<ResultRow>, rows: ResultRow[]): boolean => {
  let read = 0;
  for (let next = rest.next(); !next.done; next = rest.next()) {
    rows.push(next.value);
    read += String(next.value.document).length;
    if (read < CHARACTERS_PER_SLICE) continue;
    spendTimeSlice(1);
    return false;
  }
  spendTimeSlice(read / CHARACTERS_PER_SLICE);
  return true;
};

/** Unchecked, because `DatabaseSync` itself rejects values that SQLite cannot store. */
const bound = (parameters: readonly unknown[]) => parameters as Parameters<StatementSync['all']>;
