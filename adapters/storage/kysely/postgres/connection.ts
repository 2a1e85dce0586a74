/**
 * A connection of `pg`: runs statements one by one, cancels the running statement when the caller aborts, and closes a connection that does
 * not respond.
 */

import { connect } from 'node:net';
import { clearTimeout, setTimeout } from 'node:timers';
import type { Connection, UseOptions } from '../connection.ts';
import type { Result } from '../result.ts';
import type { PgClient, PgQuery, PgResult } from './driver.ts';
import { lostName, withAdvice } from './pooler-errors.ts';
import { hasLostName, type Preparation } from './prepared.ts';

/** https://www.postgresql.org/docs/current/protocol-message-formats.html#PROTOCOL-MESSAGE-FORMATS-CANCELREQUEST */
const CANCEL_REQUEST = 80877102;

/**
 * Cancels the running statement of a client with a CancelRequest, on a separate connection as the protocol requires. The request is
 * unencrypted, but its secret key only permits cancelling statements of this client. Resolves when the server has closed the connection, or
 * after `timeout` milliseconds.
 */
const cancel = ({ host, port, processID, secretKey }: PgClient, timeout: number): Promise<void> =>
  new Promise((resolve) => {
    if (host === undefined || port === undefined || typeof processID !== 'number' || typeof secretKey !== 'number') return resolve();
    const message = Buffer.alloc(16);
    [message.length, CANCEL_REQUEST, processID, secretKey].forEach((value, index) => {
      message.writeInt32BE(value, 4 * index);
    });
    const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    const timer = setTimeout(() => socket.destroy(), timeout);
    socket.on('error', () => undefined); // `close` follows
    socket.on('close', () => {
      clearTimeout(timer);
      resolve();
    });
    socket.resume();
    socket.end(message);
  });

/** Time limit for cancelling a statement, after which the connection is destroyed. ms */
const STOP_TIMEOUT = 2000;

export class PgConnection implements Connection {
  /** True if the connection must not be reused. */
  isLost = false;
  /** Set if recurring statements are prepared. */
  preparation: Preparation | undefined;
  readonly #client: PgClient;
  readonly #options: UseOptions;
  readonly #stop = () => {
    this.#stopping ??= this.#last && this.#stopStatement();
  };
  #last: Promise<unknown> | undefined;
  #stopping: Promise<void> | undefined;

  constructor(client: PgClient, options: UseOptions = {}) {
    this.#client = client;
    this.#options = options;
    options.signal?.addEventListener('abort', this.#stop);
  }

  get host(): PgClient {
    return this.#client;
  }

  async run(sql: string, parameters: readonly unknown[]): Promise<Result> {
    const query = { text: sql, values: [...parameters] };
    const name = parameters.length > 0 ? this.preparation?.nameFor(sql) : undefined;
    const result = await (name === undefined
      ? this.#serialized(() => (sql === 'commit' ? this.#commit(query) : this.#client.query(query)), sql === 'rollback')
      : this.#runPrepared({ ...query, name }, query));
    return resultOf(Array.isArray(result) ? result[0] : result);
  }

  /** Runs the statement `unprepared` instead if its name is lost, unless a transaction is lost with it. */
  async #runPrepared(prepared: PgQuery, unprepared: PgQuery): Promise<PgResult | readonly PgResult[]> {
    try {
      return await this.#serialized(() => this.#client.query(prepared));
    } catch (error) {
      if (!hasLostName(error)) throw error;
      this.preparation?.end();
      if (this.#client.getTransactionStatus() !== 'I') throw lostName(error);
      return this.#serialized(() => this.#client.query(unprepared));
    }
  }

  /** Sends the statements in one message, which PostgreSQL allows if they have no parameters. */
  async runAll(statements: readonly string[]): Promise<readonly Result[]> {
    const query = { text: statements.join('; ') };
    const results = await this.#serialized(() => (statements.at(-1) === 'commit' ? this.#commit(query) : this.#client.query(query)));
    return [results].flat().map(resultOf);
  }

  /**
   * Runs a query that ends with `commit`.
   * @throws NotReplicated if the wait for synchronous standbys was cancelled, which the server reports with a warning only
   */
  async #commit(query: PgQuery): Promise<PgResult | readonly PgResult[]> {
    let isReplicated = true;
    const onNotice = ({ routine }: { readonly routine?: string | undefined }) => {
      if (routine === 'SyncRepWaitForLSN') isReplicated = false;
    };
    this.#client.on('notice', onNotice);
    const result = await this.#client.query(query).finally(() => this.#client.removeListener('notice', onNotice));
    if (!isReplicated) throw new NotReplicated();
    return result;
  }

  /** Waits for a cancellation in flight, so that it cannot cancel a statement of the connection's next user. */
  async release(): Promise<void> {
    this.#options.signal?.removeEventListener('abort', this.#stop);
    await this.#stopping;
  }

  /** Closes the socket, which rejects pending queries. */
  destroy(): void {
    this.isLost = true;
    this.#client.connection?.stream.destroy();
  }

  /** Runs a query once all earlier ones have ended. After the signal is aborted, only a last query (`rollback`) still runs. */
  async #serialized<T>(query: () => Promise<T>, isLast = false): Promise<T> {
    // Several queries may wait for the same one. The first to continue sets `#last`, and the others wait again.
    do {
      await this.#last;
      await this.#stopping;
    } while (this.#last);
    const { signal } = this.#options;
    if (!isLast) signal?.throwIfAborted();
    const answerTimeout = signal?.aborted ? this.#stopTimeout : this.#options.answerTimeout;
    const timer = answerTimeout === undefined ? undefined : setTimeout(() => this.destroy(), answerTimeout);
    const running = query();
    const ended = running.then(ignored, ignored);
    this.#last = ended;
    try {
      return await running;
    } catch (error) {
      // The server has become a standby: a new connection may find the primary.
      if (error instanceof Error && 'code' in error && error.code === READ_ONLY) this.isLost = true;
      throw withAdvice(error);
    } finally {
      clearTimeout(timer);
      if (this.#last === ended) this.#last = undefined;
    }
  }

  async #stopStatement(): Promise<void> {
    const timer = setTimeout(() => this.destroy(), this.#stopTimeout);
    await Promise.all([cancel(this.#client, this.#stopTimeout), this.#last]);
    clearTimeout(timer);
  }

  get #stopTimeout(): number {
    return Math.min(STOP_TIMEOUT, this.#options.answerTimeout ?? STOP_TIMEOUT);
  }
}

/** A connection over a client of the host; undefined if the host has begun no transaction on the client. */
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

/**
 * The commit is in effect, but a standby that takes over may lack it. The code is statement_completion_unknown of
 * https://www.postgresql.org/docs/current/errcodes-appendix.html.
 */
class NotReplicated extends Error {
  readonly code = '40003';
  constructor() {
    super('the wait for a synchronous standby was cancelled: the write may be lost when that standby takes over');
  }
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html: read_only_sql_transaction */
const READ_ONLY = '25006';

const ignored = (): void => undefined;
