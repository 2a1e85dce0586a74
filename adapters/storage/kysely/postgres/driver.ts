import type { PostgresCursor, PostgresQueryResult } from 'kysely';
import type { ResultRow } from '../result.ts';

/** What is used of `pg`: of its pool and its clients. Any pool with these members will do. */
export interface PgPool {
  /** A client of its own, until it is released. */
  connect(): Promise<PgPoolClient>;
  /** Closes all connections. */
  end(): Promise<void>;
  /** Errors of clients that nobody uses at the moment. */
  on(event: 'error', listener: (error: Error) => void): unknown;
  /** How many connections there may be; default 10, as of `pg`. */
  readonly options?: { readonly max?: number };
}

export interface PgClient {
  query(query: { readonly text: string; readonly values?: unknown[]; readonly name?: string }): Promise<PgResult | readonly PgResult[]>;
  /** What Kysely asks of it. */
  query<R>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  /** `'I'`: idle; `'T'`: in a transaction; `'E'`: in one that failed. */
  getTransactionStatus(): 'I' | 'T' | 'E' | null;
  on(event: 'error', listener: (error: Error) => void): unknown;
  removeListener(event: 'error', listener: (error: Error) => void): unknown;
  /** By which the server stops what the client's connection does. Without them it ends with its time. */
  readonly host?: string;
  readonly port?: number;
  readonly processID?: number;
  readonly secretKey?: unknown;
  /** The connection itself, to end one that does not answer. */
  readonly connection?: { readonly stream: { destroy(): void } };
}

export interface PgPoolClient extends PgClient {
  /** @param destroy whether the connection is of no use any more. */
  release(destroy?: boolean): void;
}

export interface PgResult {
  readonly command: string;
  readonly rowCount: number | null;
  readonly rows: readonly ResultRow[];
}

export interface PgPoolOptions {
  readonly connectionString: string;
  readonly max: number;
  readonly connectionTimeoutMillis: number;
  readonly keepAlive: boolean;
  readonly keepAliveInitialDelayMillis: number;
  readonly allowExitOnIdle: boolean;
  readonly application_name: string;
}

/** `pg` is an optional peer: it is loaded by who needs it. */
export const newPool = async (options: PgPoolOptions): Promise<PgPool> => {
  const { default: pg } = await import('pg');
  return new pg.Pool(options);
};
