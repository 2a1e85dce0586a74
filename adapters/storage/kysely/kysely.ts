/**
 * Kysely instances and transactions of the host as connections. The interfaces have only the members that are used, so that any copy of
 * Kysely fits.
 */
import type { CompiledQuery, IsolationLevel } from 'kysely';
import { Canceller } from './canceller.ts';
import type { Connection, Connections } from './connection.ts';
import type { SqlEngine } from './engine/index.ts';
import type { HostTransactions } from './host-transactions.ts';
import type { ResultRow } from './result.ts';

/** A Kysely instance or transaction. */
export interface KyselyLike {
  readonly isTransaction: boolean;
  /** Executes one statement. */
  executeQuery<Row>(query: CompiledQuery<Row>): Promise<{ readonly rows: readonly Row[]; readonly numAffectedRows?: bigint | undefined }>;
}

/** A Kysely instance with one connection. */
export interface KyselyConnection extends KyselyLike {
  /** Lets the driver begin a transaction. Called only for engines with an `isolationLevel`. */
  startTransaction?(): KyselyTransactionBuilder;
}

/** A Kysely transaction before it begins. */
export interface KyselyTransactionBuilder {
  /** Sets its isolation level. */
  setIsolationLevel(isolationLevel: IsolationLevel): KyselyTransactionBuilder;
  /** Begins it. */
  execute(): Promise<KyselyControlledTransaction>;
}

/** An open Kysely transaction, which its owner commits or rolls back. */
export interface KyselyControlledTransaction extends KyselyLike {
  /** Commits it. */
  commit(): KyselyCommand;
  /** Rolls it back. */
  rollback(): KyselyCommand;
}

/** A command of Kysely. */
export interface KyselyCommand {
  /** Executes it. */
  execute(): Promise<void>;
}

/** A Kysely instance. */
export interface KyselyInstance extends KyselyLike {
  /** One connection for several statements. */
  connection(): {
    /** Runs `work` with exclusive use of a connection. */
    execute<T>(work: (connection: KyselyConnection) => Promise<T>): Promise<T>;
  };
}

/**
 * The connections in use by stores. The store begins transactions on them with statements, so Kysely does not report them as transactions.
 */
const inUse = new WeakSet<object>();

export const kyselyConnections = ({ cancellation }: SqlEngine, db: KyselyInstance): Connections => {
  const use = <T>(work: (connection: KyselyConnection) => Promise<T>): Promise<T> =>
    db.connection().execute((connection) => {
      inUse.add(connection);
      return work(connection).finally(() => inUse.delete(connection));
    });
  return {
    use: (work, { signal } = {}) => {
      if (!signal || !cancellation) return use((connection) => work(pooled(connection)));
      const canceller = new Canceller(signal, (stop) => use((other) => stop(kyselyConnection(other))));
      return use((connection) => work(pooled(connection, canceller)).finally(() => canceller.release()));
    },
  };
};

/** A transaction of the host, or a connection. */
const kyselyConnection = (db: KyselyLike, canceller?: Canceller): Connection => ({
  host: db,
  async run(sql, parameters) {
    const query = compiled(sql, parameters);
    const { rows, numAffectedRows = 0n } = await (canceller ? canceller.during(() => db.executeQuery(query)) : db.executeQuery(query));
    return { rows, written: Number(numAffectedRows) };
  },
  ...(canceller && { cancelWith: (stop) => canceller.arm(stop) }),
});

let queries = 0;

/** Equivalent to `CompiledQuery.raw`. Every driver returns rows as objects. */
const compiled = (sql: string, parameters: readonly unknown[]): CompiledQuery<ResultRow> => ({
  sql,
  parameters,
  query: { kind: 'RawNode', sqlFragments: [sql], parameters: [] },
  queryId: { queryId: String(++queries) },
});

const pooled = (db: KyselyConnection, canceller?: Canceller): Connection => ({
  ...kyselyConnection(db, canceller),
  async begin(isolationLevel) {
    if (!db.startTransaction)
      throw new TypeError('this version of Kysely lacks startTransaction, which the engine requires: use Kysely 0.28 or later');
    const transaction = await db.startTransaction().setIsolationLevel(isolationLevel).execute();
    return {
      ...kyselyConnection(transaction, canceller),
      commit: () => transaction.commit().execute(),
      rollback: () => transaction.rollback().execute(),
    };
  },
});

/** Kysely's transactions, which need no option. */
export const kyselyTransactions: HostTransactions<KyselyLike> = {
  isTransaction: (host): host is KyselyLike =>
    typeof host === 'object' &&
    host !== null &&
    'isTransaction' in host &&
    (host.isTransaction === true || inUse.has(host)) &&
    'executeQuery' in host,
  execute: (transaction, { sql, parameters }) => kyselyConnection(transaction).run(sql, parameters),
};
