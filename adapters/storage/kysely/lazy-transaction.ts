/**
 * Read transactions that begin with the first statement that needs a connection. A call that is answered from memory needs only the
 * revision.
 */
import { ReaderSlot, type ReaderSlots, type TransactionOptions } from '../../../src/adapter-kit.ts';
import { type Connection, type Connections, run, send, translated } from './connection.ts';
import type { SqlEngine } from './engine/index.ts';
import { type BeginOptions, inTransaction } from './in-transaction.ts';
import type { Result } from './result.ts';
import type { Sql } from './sql.ts';

export interface LazyTransactionOptions {
  readonly engine: SqlEngine;
  readonly connections: Connections;
  /** Undefined if the number of connections is not known. */
  readonly slots: ReaderSlots | undefined;
  /** Options for beginning the transaction; its signal is taken from `options`. */
  readonly begin: BeginOptions;
  /** The query that reads the revision. */
  readonly revision: Sql;
  /**
   * Reads the current revision, in a round trip that concurrent callers share. Undefined to begin the transaction with the query for its
   * revision.
   */
  readonly currentRevision: (() => Promise<number>) | undefined;
  readonly options: TransactionOptions;
}

/** A read transaction that begins with its first statement. */
export class LazyTransaction {
  readonly #options: LazyTransactionOptions;
  /** The revision as read before the transaction began. */
  #earlierRevision: Promise<number> | number | undefined;
  #begun: Promise<Connection> | undefined;
  #slot: ReaderSlot | undefined;
  /** Settles when the transaction has ended. */
  #transaction: Promise<void> | undefined;
  readonly #ended = Promise.withResolvers<void>();
  #hasMoved = false;
  #isStale = false;

  constructor(options: LazyTransactionOptions) {
    this.#options = options;
  }

  /** True if the state changed between the query for its revision and the beginning of the transaction. */
  get hasMoved(): boolean {
    return this.#hasMoved;
  }

  /** True if the work must be rerun and its reads discarded, because the state has changed or the transaction must wait for a slot. */
  get isStale(): boolean {
    return this.#isStale || this.#hasMoved;
  }

  /** Begins the transaction with its first statement. */
  get connection(): Connection {
    return {
      host: undefined,
      run: async (...statement) => (await this.#connected()).run(...statement),
      runNow: async (sql, parameters) => {
        const connection = await this.#connected();
        return connection.runNow ? connection.runNow(sql, parameters) : connection.run(sql, parameters);
      },
    };
  }

  /**
   * Reads the revision, outside the transaction if it has not begun.
   * @throws like `run`
   */
  async revision(): Promise<number> {
    const { engine, revision, currentRevision } = this.#options;
    if (!currentRevision || (this.#begun && this.#earlierRevision === undefined))
      return numberIn(await run(engine, this.connection, revision));
    try {
      this.#earlierRevision ??= this.#revisionNow(currentRevision);
      return await this.#earlierRevision;
    } catch (error) {
      throw translated(engine, error);
    }
  }

  #revisionNow(currentRevision: () => Promise<number>): Promise<number> | number {
    const { engine, connections, revision } = this.#options;
    const free = connections.free?.();
    if (!free) return currentRevision();
    const result = send(engine, free, revision);
    return result instanceof Promise ? result.then(numberIn) : numberIn(result);
  }

  /** @throws the errors of ending a transaction */
  async end(): Promise<void> {
    this.#ended.resolve();
    await this.#transaction;
  }

  async #connected(): Promise<Connection> {
    const connection = await (this.#begun ??= this.#begin());
    this.#options.options.signal?.throwIfAborted();
    if (this.#slot && !this.#slot.mayContinue()) {
      this.#isStale = true;
      throw new Error('the transaction must wait for a slot');
    }
    return connection;
  }

  /** Acquires a slot before a connection, so that no transaction waits for a slot while it holds a connection. */
  async #begin(): Promise<Connection> {
    const { engine, connections, slots, begin, revision, options } = this.#options;
    const earlierRevision = await this.#earlierRevision;
    const slot = slots && new ReaderSlot(slots, options);
    await slot?.acquire();
    this.#slot = slot;
    const begun = Promise.withResolvers<Connection>();
    const check = ([result]: readonly Result[]) => {
      this.#hasMoved = numberIn(result) !== earlierRevision;
      if (this.#hasMoved) throw new Error('the state has changed since its revision was read');
    };
    const first: Pick<BeginOptions, 'first' | 'onBegun'> = earlierRevision === undefined ? {} : { first: [revision], onBegun: check };
    this.#transaction = inTransaction(engine, connections, { ...begin, ...first, signal: options.signal }, async (connection) => {
      begun.resolve(connection);
      await this.#ended.promise;
    });
    this.#transaction.then(
      () => slot?.release(),
      (error: unknown) => {
        slot?.release();
        begun.reject(error);
      },
    );
    return begun.promise;
  }
}

export const numberIn = (result: Result | undefined): number => Number(result?.rows[0]?.value ?? 0);
