/** Kysely instances and transactions of the host as connections. Only what is used is asked for: any copy of Kysely will do. */
import { CompiledQuery } from 'kysely';
import type { Connection, Connections } from './connection.ts';

/** A Kysely instance or transaction. */
export interface KyselyLike {
  readonly isTransaction: boolean;
  /** Executes one statement. */
  executeQuery(query: CompiledQuery): Promise<{ readonly rows: readonly unknown[]; readonly numAffectedRows?: bigint }>;
}

/** A Kysely instance. */
export interface KyselyInstance extends KyselyLike {
  /** One connection for several statements. */
  connection(): {
    /** Runs `work` on a connection that nobody else uses meanwhile. */
    execute<T>(work: (connection: KyselyLike) => Promise<T>): Promise<T>;
  };
}

export const kyselyConnections = (db: KyselyInstance): Connections => ({
  use: (work) => db.connection().execute((connection) => work(kyselyConnection(connection))),
});

export const kyselyConnection = (db: KyselyLike): Connection => ({
  async run(sql, parameters) {
    const { rows, numAffectedRows = 0n } = await db.executeQuery(CompiledQuery.raw(sql, [...parameters]));
    return { rows, written: Number(numAffectedRows) };
  },
});

export const isKyselyTransaction = (host: unknown): host is KyselyLike =>
  typeof host === 'object' && host !== null && 'isTransaction' in host && host.isTransaction === true && 'executeQuery' in host;
