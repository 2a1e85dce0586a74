/** Kysely instances and transactions of the host as connections. Only what is used is asked for: any copy of Kysely will do. */
import { CompiledQuery, type IsolationLevel } from 'kysely';
import type { Connection, Connections } from './connection.ts';
import type { SqlEngine } from './engine/index.ts';
import type { HostTransactions } from './host-transactions.ts';
import type { ResultRow } from './result.ts';
import { Stopper } from './stopper.ts';

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

/** A Kysely transaction that its owner ends. */
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
    /** Runs `work` on a connection that nobody else uses meanwhile. */
    execute<T>(work: (connection: KyselyConnection) => Promise<T>): Promise<T>;
  };
}

/** Connections on which we begin transactions by statements, which Kysely knows nothing of. */
const ours = new WeakSet<object>();

/** @param engine says how a statement is stopped. */
export const kyselyConnections = ({ cancellation }: SqlEngine, db: KyselyInstance): Connections => {
  const use = <T>(work: (connection: KyselyConnection) => Promise<T>): Promise<T> =>
    db.connection().execute((connection) => {
      ours.add(connection);
      return work(connection).finally(() => ours.delete(connection));
    });
  return {
    use: (work, { signal } = {}) => {
      if (!signal || !cancellation) return use((connection) => work(pooled(connection)));
      const stopper = new Stopper(signal, (stop) => use((other) => stop(kyselyConnection(other))));
      return use((connection) => work(pooled(connection, stopper)).finally(() => stopper.leave()));
    },
  };
};

const kyselyConnection = (db: KyselyLike, stopper?: Stopper): Connection => ({
  host: db,
  async run(sql, parameters) {
    // Drivers make an object of each row.
    const query = CompiledQuery.raw(sql, [...parameters]) as CompiledQuery<ResultRow>;
    const { rows, numAffectedRows = 0n } = await (stopper ? stopper.during(() => db.executeQuery(query)) : db.executeQuery(query));
    return { rows, written: Number(numAffectedRows) };
  },
  ...(stopper && { stopBy: (stop) => stopper.arm(stop) }),
});

const pooled = (db: KyselyConnection, stopper?: Stopper): Connection => ({
  ...kyselyConnection(db, stopper),
  async begin(isolationLevel) {
    if (!db.startTransaction)
      throw new TypeError('this version of Kysely has no startTransaction, which the engine needs: Kysely 0.28 or later has');
    const transaction = await db.startTransaction().setIsolationLevel(isolationLevel).execute();
    return {
      ...kyselyConnection(transaction, stopper),
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
    (host.isTransaction === true || ours.has(host)) &&
    'executeQuery' in host,
  execute: (transaction, { sql, parameters }) => kyselyConnection(transaction).run(sql, parameters),
};
