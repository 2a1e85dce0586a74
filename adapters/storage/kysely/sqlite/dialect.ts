/** A Kysely dialect over a pool of `node:sqlite`, for the host's statements on the connections of the stores. */
import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult, TransactionSettings } from 'kysely';
import { kysely } from '../library.ts';
import { retryWhileBusy } from '../retry-while-busy.ts';
import { sqlite } from './engine.ts';
import type { SqliteConnection, SqlitePool } from './pool.ts';

export interface NodeSqliteOptions {
  readonly pool: SqlitePool;
  /** Time for which a transaction may wait for writers in other processes, in milliseconds. */
  readonly lockTimeout: number;
  /** Called by `destroy()` of the Kysely instance. */
  readonly close: () => void;
}

export const nodeSqliteDialect = (options: NodeSqliteOptions): Dialect => {
  const { DialectAdapterBase, SqliteIntrospector, SqliteQueryCompiler } = kysely();
  class NodeSqliteAdapter extends DialectAdapterBase {
    override get supportsTransactionalDdl() {
      return true;
    }
    override get supportsReturning() {
      return true;
    }
    override async acquireMigrationLock(): Promise<void> {}
    override async releaseMigrationLock(): Promise<void> {}
  }
  return {
    createDriver: () => new NodeSqliteDriver(options),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new NodeSqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
};

class NodeSqliteDriver implements Driver {
  readonly #options: NodeSqliteOptions;

  constructor(options: NodeSqliteOptions) {
    this.#options = options;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return new KyselyConnection(await this.#options.pool.acquire());
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    this.#options.pool.release(sqliteConnection(connection));
  }

  async beginTransaction(connection: DatabaseConnection, { accessMode }: TransactionSettings): Promise<void> {
    const { lockTimeout } = this.#options;
    const [begin = ''] = sqlite.begin(accessMode === 'read only' ? 'read' : 'write', { lockTimeout });
    await retryWhileBusy(sqlite, lockTimeout, () => sqliteConnection(connection).runWhole(begin));
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    sqliteConnection(connection).runWhole('commit');
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    sqliteConnection(connection).runWhole('rollback');
  }

  async savepoint(connection: DatabaseConnection, name: string): Promise<void> {
    sqliteConnection(connection).runWhole(`savepoint "${name}"`);
  }

  async rollbackToSavepoint(connection: DatabaseConnection, name: string): Promise<void> {
    sqliteConnection(connection).runWhole(`rollback to "${name}"`);
  }

  async releaseSavepoint(connection: DatabaseConnection, name: string): Promise<void> {
    sqliteConnection(connection).runWhole(`release "${name}"`);
  }

  async destroy(): Promise<void> {
    this.#options.close();
  }
}

class KyselyConnection implements DatabaseConnection {
  readonly connection: SqliteConnection;

  constructor(connection: SqliteConnection) {
    this.connection = connection;
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const { rows, written } = this.connection.runWhole(sql, parameters);
    return { rows: rows as R[], numAffectedRows: BigInt(written) }; // the caller knows the type of the rows
  }

  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    yield await this.executeQuery<R>(query);
  }
}

const sqliteConnection = (connection: DatabaseConnection): SqliteConnection => {
  if (connection instanceof KyselyConnection) return connection.connection;
  throw new TypeError('the connection is not of this dialect');
};
