/** A pool of `node:sqlite` connections. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import type { Connection, Connections, UseOptions } from '../connection.ts';
import type { Result } from '../result.ts';

export class SqlitePool implements Connections {
  readonly #open: () => SqliteConnection;
  readonly #most: number;
  readonly #all: SqliteConnection[] = [];
  readonly #idle: SqliteConnection[] = [];
  readonly #waiting: ((connection: SqliteConnection) => void)[] = [];

  /** @param most the maximum number of connections */
  constructor(open: () => SqliteConnection, most: number) {
    this.#open = open;
    this.#most = most;
  }

  async use<T>(work: (connection: Connection) => Promise<T>, options?: UseOptions): Promise<T> {
    const connection = await this.acquire();
    try {
      // The caller may have given up while it waited.
      options?.signal?.throwIfAborted();
      return await work(connection);
    } finally {
      this.release(connection);
    }
  }

  async acquire(): Promise<SqliteConnection> {
    const idle = this.#idle.pop();
    if (idle) return idle;
    if (this.#all.length === this.#most) return new Promise((resolve) => this.#waiting.push(resolve));
    const connection = this.#open();
    this.#all.push(connection);
    return connection;
  }

  release(connection: SqliteConnection): void {
    const next = this.#waiting.shift();
    if (next) next(connection);
    else this.#idle.push(connection);
  }

  close(): void {
    for (const { database } of this.#all) if (database.isOpen) database.close();
  }
}

interface Prepared {
  readonly statement: StatementSync;
  readonly returnsRows: boolean;
}

const MOST_STATEMENTS = 256;

export class SqliteConnection implements Connection {
  readonly database: DatabaseSync;
  readonly #statements = new LRUCache<string, Prepared>({ max: MOST_STATEMENTS });

  constructor(database: DatabaseSync) {
    this.database = database;
  }

  get host(): DatabaseSync {
    return this.database;
  }

  async run(sql: string, parameters: readonly unknown[]): Promise<Result> {
    return this.runNow(sql, parameters);
  }

  runNow(sql: string, parameters: readonly unknown[] = []): Result {
    const { statement, returnsRows } = this.#prepared(sql);
    // DatabaseSync refuses values that SQLite cannot store.
    const bound = parameters as Parameters<StatementSync['all']>;
    if (returnsRows) return { rows: statement.all(...bound), written: 0 };
    return { rows: [], written: Number(statement.run(...bound).changes) };
  }

  #prepared(sql: string): Prepared {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.database.prepare(sql);
    const prepared = { statement, returnsRows: statement.columns().length > 0 };
    this.#statements.set(sql, prepared);
    return prepared;
  }
}
