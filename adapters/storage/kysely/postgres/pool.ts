/** Connections of a pool of `pg`. One that is broken, or that is left in a transaction, is not given back to it. */
import type { Connection, Connections, Result } from '../connection.ts';
import type { PgClient, PgPool, PgResult } from './driver.ts';
import { statementNames } from './statements.ts';

/** @param prepared whether statements that come again are parsed and planned once for each connection. */
export const poolConnections = (pool: () => Promise<PgPool>, prepared: boolean): Connections => {
  const names = prepared ? statementNames : undefined;
  return {
    async use(work) {
      const client = await (await pool()).connect();
      // A connection may be lost between two statements: the next one will tell.
      client.on('error', ignored);
      try {
        return await work(new PgConnection(client, names));
      } finally {
        client.removeListener('error', ignored);
        client.release(client.getTransactionStatus() !== 'I');
      }
    },
  };
};

/** The client of a host that has begun a transaction on it. */
export const clientInTransaction = (host: unknown): Connection | undefined =>
  isClient(host) && host.getTransactionStatus() === 'T' ? new JoinedConnection(host) : undefined;

const isClient = (host: unknown): host is PgClient =>
  typeof host === 'object' &&
  host !== null &&
  'getTransactionStatus' in host &&
  typeof host.getTransactionStatus === 'function' &&
  'query' in host;

export const ignored = (): void => undefined;

class PgConnection implements Connection {
  readonly #client: PgClient;
  readonly #names: typeof statementNames | undefined;
  #last: Promise<unknown> | undefined;

  constructor(client: PgClient, names?: typeof statementNames) {
    this.#client = client;
    this.#names = names;
  }

  async run(sql: string, parameters: readonly unknown[]): Promise<Result> {
    const name = parameters.length > 0 ? this.#names?.of(sql) : undefined;
    const query = { text: sql, values: [...parameters], ...(name === undefined ? {} : { name }) };
    const result = await this.#inTurn(() => this.#client.query(query));
    return resultOf(Array.isArray(result) ? result[0] : result);
  }

  /** In one message, which PostgreSQL takes for statements without parameters. */
  async runAll(statements: readonly string[]): Promise<void> {
    await this.#inTurn(() => this.#client.query({ text: statements.join('; ') }));
  }

  /** A client takes one statement after another. */
  async #inTurn<T>(query: () => Promise<T>): Promise<T> {
    while (this.#last) await this.#last;
    const running = query();
    const over = running.then(ignored, ignored);
    this.#last = over;
    try {
      return await running;
    } finally {
      if (this.#last === over) this.#last = undefined;
    }
  }
}

class JoinedConnection extends PgConnection {
  readonly #host: PgClient;

  constructor(host: PgClient) {
    super(host);
    this.#host = host;
  }

  override async run(sql: string, parameters: readonly unknown[]): Promise<Result> {
    if (this.#host.getTransactionStatus() === 'I') throw new TypeError('the transaction is over');
    return super.run(sql, parameters);
  }
}

const resultOf = ({ command, rowCount, rows }: PgResult): Result =>
  command === 'ROLLBACK' ? { rows: [{ command }], written: 0 } : { rows, written: rowCount ?? 0 };
