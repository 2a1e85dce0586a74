/** One connection of `pg`: statements one after another, stopped when they are not wanted any more, given up when they are not answered. */
import type { Connection, Terms } from '../connection.ts';
import type { Result } from '../result.ts';
import { cancel } from './cancel.ts';
import type { PgClient, PgResult } from './driver.ts';
import type { statementNames } from './statements.ts';

/** How long the server may take to stop a statement before the connection is ended. ms */
const STOP_TIMEOUT = 2000;

export class PgConnection implements Connection {
  /** Whether the connection is of no use any more. */
  isLost = false;
  readonly #client: PgClient;
  readonly #names: typeof statementNames | undefined;
  readonly #terms: Terms;
  readonly #stop = () => {
    this.#stopping ??= this.#last && this.#stopStatement();
  };
  #last: Promise<unknown> | undefined;
  #stopping: Promise<void> | undefined;

  constructor(client: PgClient, names?: typeof statementNames, terms: Terms = {}) {
    this.#client = client;
    this.#names = names;
    this.#terms = terms;
    terms.signal?.addEventListener('abort', this.#stop);
  }

  get host(): PgClient {
    return this.#client;
  }

  async run(sql: string, parameters: readonly unknown[]): Promise<Result> {
    const name = parameters.length > 0 ? this.#names?.of(sql) : undefined;
    const query = { text: sql, values: [...parameters], ...(name === undefined ? {} : { name }) };
    const result = await this.#inTurn(() => this.#client.query(query), sql === 'rollback');
    return resultOf(Array.isArray(result) ? result[0] : result);
  }

  /** In one message, which PostgreSQL takes for statements without parameters. */
  async runAll(statements: readonly string[]): Promise<readonly Result[]> {
    const results = await this.#inTurn(() => this.#client.query({ text: statements.join('; ') }));
    return [results].flat().map(resultOf);
  }

  /** Nothing runs here any more, and nothing is on its way that would stop what others run. */
  async leave(): Promise<void> {
    this.#terms.signal?.removeEventListener('abort', this.#stop);
    await this.#stopping;
  }

  /** Pending queries are rejected. */
  destroy(): void {
    this.isLost = true;
    this.#client.connection?.stream.destroy();
  }

  /** A client takes one statement after another, and once its signal is aborted none but the last. */
  async #inTurn<T>(query: () => Promise<T>, isLast = false): Promise<T> {
    // Of several that wait for the same, the first goes on.
    do {
      await this.#last;
      await this.#stopping;
    } while (this.#last);
    const { signal } = this.#terms;
    if (!isLast) signal?.throwIfAborted();
    const answerTimeout = signal?.aborted ? this.#stopTimeout : this.#terms.answerTimeout;
    const timer = answerTimeout === undefined ? undefined : setTimeout(() => this.destroy(), answerTimeout);
    const running = query();
    const over = running.then(ignored, ignored);
    this.#last = over;
    try {
      return await running;
    } catch (error) {
      // It has become a standby: others may have a better connection.
      if (error instanceof Error && 'code' in error && error.code === READ_ONLY) this.isLost = true;
      throw error;
    } finally {
      clearTimeout(timer);
      if (this.#last === over) this.#last = undefined;
    }
  }

  async #stopStatement(): Promise<void> {
    const timer = setTimeout(() => this.destroy(), this.#stopTimeout);
    await Promise.all([cancel(this.#client, this.#stopTimeout), this.#last]);
    clearTimeout(timer);
  }

  get #stopTimeout(): number {
    return Math.min(STOP_TIMEOUT, this.#terms.answerTimeout ?? STOP_TIMEOUT);
  }
}

/** The client of a host that has begun a transaction on it. */
export const clientInTransaction = (host: unknown): Connection | undefined =>
  isClient(host) && host.getTransactionStatus() === 'T' ? new JoinedConnection(host) : undefined;

const isClient = (host: unknown): host is PgClient =>
  typeof host === 'object' &&
  host !== null &&
  'getTransactionStatus' in host &&
  typeof host.getTransactionStatus === 'function' &&
  'query' in host;

class JoinedConnection extends PgConnection {
  override async run(sql: string, parameters: readonly unknown[]): Promise<Result> {
    if (this.host.getTransactionStatus() === 'I') throw new TypeError('the transaction is over');
    return super.run(sql, parameters);
  }
}

const resultOf = ({ command, rowCount, rows }: PgResult): Result =>
  command === 'ROLLBACK' ? { rows: [{ command }], written: 0 } : { rows, written: rowCount ?? 0 };

/** https://www.postgresql.org/docs/current/errcodes-appendix.html: read_only_sql_transaction */
const READ_ONLY = '25006';

const ignored = (): void => undefined;
