import type { PostgresCursor, PostgresQueryResult } from 'kysely';
import type { ResultRow } from '../result.ts';

/** A `pg` pool, or any pool with these members. */
export interface PgPool {
  /** A client for exclusive use until it is released. */
  connect(): Promise<PgPoolClient>;
  /** Closes all connections. */
  end(): Promise<void>;
  /** Reports errors of idle clients. */
  on(event: 'error', listener: (error: Error) => void): unknown;
  /** The maximum number of connections. Default: 10, as in `pg`. */
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
  /** `'I'`: idle; `'T'`: in a transaction; `'E'`: in a failed transaction. */
  getTransactionStatus(): 'I' | 'T' | 'E' | null;
  on(event: 'error', listener: (error: Error) => void): unknown;
  /** Warnings of the server, with the function of its sources that issued them. */
  on(event: 'notice', listener: (notice: { readonly routine?: string | undefined }) => void): unknown;
  removeListener(event: 'error', listener: (error: Error) => void): unknown;
  removeListener(event: 'notice', listener: (notice: { readonly routine?: string | undefined }) => void): unknown;
  /** The address and key that cancel a statement. Without them, a statement runs until its timeout. */
  readonly host?: string;
  readonly port?: number;
  readonly processID?: number;
  readonly secretKey?: unknown;
  /** Settings with which the connection was opened. */
  readonly connectionParameters?: { readonly options?: string | undefined };
  /** The socket, which is destroyed if the connection does not respond. */
  readonly connection?: { readonly stream: { destroy(): void } };
}

export interface PgPoolClient extends PgClient {
  /** @param destroy true to close the connection instead of reusing it */
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

/** Creates a pool of `pg`, which is imported on demand, because it is an optional peer dependency. */
export const newPool = async (options: PgPoolOptions): Promise<PgPool> => {
  // Bundlers accept a missing package if the import expression itself handles the error.
  const { default: pg } = await import('pg').catch((cause: unknown) => {
    throw new Error('postgresStorage requires the package pg, which cannot be loaded: install it with npm install pg', { cause });
  });
  return new pg.Pool(options);
};
