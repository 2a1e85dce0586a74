/** Connections of a pool of `pg`. One that is broken, or that is left in a transaction, is not given back to it. */
import type { Connection, Connections, Result } from '../connection.ts';
import type { PgClient, PgPool, PgResult } from './driver.ts';

export const poolConnections = (pool: () => Promise<PgPool>): Connections => ({
  async use(work) {
    const client = await (await pool()).connect();
    // A connection may be lost between two statements: the next one will tell.
    client.on('error', ignored);
    try {
      return await work(new PgConnection(client));
    } finally {
      client.removeListener('error', ignored);
      client.release(client.getTransactionStatus() !== 'I');
    }
  },
});

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
  #last: Promise<unknown> | undefined;

  constructor(client: PgClient) {
    this.#client = client;
  }

  async run(sql: string, parameters: readonly unknown[]): Promise<Result> {
    const result = await this.#inTurn(() => this.#client.query({ text: sql, values: [...parameters] }));
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
