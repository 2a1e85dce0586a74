import type { PostgresCursor, PostgresQueryResult } from 'kysely';
import type { ResultRow } from '../result.ts';

/** A `pg` pool, or any pool with these members. */
export interface PgPool {
  /** A client for exclusive use until it is released. */
  connect(): Promise<PgPoolClient>;
  /** Closes all connections. */
  end(): Promise<void>;
  /** Errors of idle clients. */
  on(event: 'error', listener: (error: Error) => void): unknown;
  /** The maximum number of connections. Default 10, as in `pg`. */
  readonly options?: { readonly max?: number };
}

export interface PgQuery {
  readonly text: string;
  readonly values?: unknown[];
  /** The name under which the statement is prepared. */
  readonly name?: string;
}

export interface PgClient {
  query(query: PgQuery): Promise<PgResult | readonly PgResult[]>;
  /** The overloads that Kysely uses. */
  query<R>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  /** `'I'`: idle; `'T'`: in a transaction; `'E'`: in one that failed. */
  getTransactionStatus(): 'I' | 'T' | 'E' | null;
  on(event: 'error', listener: (error: Error) => void): unknown;
  removeListener(event: 'error', listener: (error: Error) => void): unknown;
  /** The address and key for cancelling a statement. Without them, a statement cannot be cancelled and runs until its timeout. */
  readonly host?: string;
  readonly port?: number;
  readonly processID?: number;
  readonly secretKey?: unknown;
  /** Settings that the session has had from its beginning. */
  readonly connectionParameters?: { readonly options?: string | undefined };
  /** The socket, to close a connection that does not answer. */
  readonly connection?: { readonly stream: { destroy(): void } };
}

export interface PgPoolClient extends PgClient {
  /** @param destroy whether the connection must not be reused */
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

/** Imports `pg` only when it is used, because it is an optional peer dependency. */
export const newPool = async (options: PgPoolOptions): Promise<PgPool> => {
  // With a handler at the import itself, bundlers accept that the package is missing.
  const { default: pg } = await import('pg').catch((cause: unknown) => {
    throw new Error('postgresStorage needs the package pg, which cannot be loaded: install it with npm install pg', { cause });
  });
  return new pg.Pool(options);
};
