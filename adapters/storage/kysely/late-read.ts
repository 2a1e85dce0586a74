/** Read transactions that begin when more than the revision is asked for: what is remembered of a state needs nothing else of it. */
import type { TransactionOptions } from '../../../src/adapter-kit.ts';
import { type Begin, inTransaction } from './begin.ts';
import { type Connection, type Connections, run, send, translated } from './connection.ts';
import type { SqlEngine } from './engine/index.ts';
import type { Result } from './result.ts';
import type { Sql } from './sql.ts';

export interface LateReadOptions {
  readonly engine: SqlEngine;
  readonly connections: Connections;
  /** How the transaction begins, once it does; its signal is that of `options`. */
  readonly begin: Begin;
  /** Asks for the revision. */
  readonly revision: Sql;
  /** The revision now, by a round trip that calls share. */
  readonly glance: () => Promise<number>;
  readonly options: TransactionOptions;
}

/** A class, because there is one for nearly each call. */
export class LateRead {
  readonly #of: LateReadOptions;
  /** The revision before the transaction began. */
  #seen: Promise<number> | number | undefined;
  #begun: Promise<Connection> | undefined;
  /** The transaction, from its beginning to its end. */
  #transaction: Promise<void> | undefined;
  readonly #over = Promise.withResolvers<void>();
  #hasMoved = false;

  constructor(of: LateReadOptions) {
    this.#of = of;
  }

  /** Whether the state was another one when the transaction began than when its revision was asked for: nothing that was read counts. */
  get hasMoved(): boolean {
    return this.#hasMoved;
  }

  /** Begins the transaction with its first statement. */
  get connection(): Connection {
    const begun = async () => {
      const connection = await (this.#begun ??= this.#begin());
      this.#of.options.signal?.throwIfAborted();
      return connection;
    };
    return {
      host: undefined,
      run: async (...statement) => (await begun()).run(...statement),
      runNow: async (sql, parameters) => {
        const connection = await begun();
        return connection.runNow ? connection.runNow(sql, parameters) : connection.run(sql, parameters);
      },
    };
  }

  /** Asked for outside of the transaction, as long as that has not begun. @throws as `run` */
  async revision(): Promise<number> {
    const { engine, revision } = this.#of;
    if (this.#begun && this.#seen === undefined) return numberIn(await run(engine, await this.#begun, revision));
    try {
      this.#seen ??= this.#glance();
      return await this.#seen;
    } catch (error) {
      throw translated(engine, error);
    }
  }

  #glance(): Promise<number> | number {
    const { engine, connections, revision, glance } = this.#of;
    const free = connections.free?.();
    if (!free) return glance();
    const result = send(engine, free, revision);
    return result instanceof Promise ? result.then(numberIn) : numberIn(result);
  }

  /** @throws as the end of a transaction does */
  async end(): Promise<void> {
    this.#over.resolve();
    await this.#transaction;
  }

  async #begin(): Promise<Connection> {
    const { engine, connections, begin, revision, options } = this.#of;
    const seen = await this.#seen;
    await options.admit?.();
    const begun = Promise.withResolvers<Connection>();
    const check = ([result]: readonly Result[]) => {
      this.#hasMoved = numberIn(result) !== seen;
      if (this.#hasMoved) throw new Error('the state has moved since its revision was asked for');
    };
    const first = seen === undefined ? {} : { first: [revision], begun: check };
    this.#transaction = inTransaction(engine, connections, { ...begin, ...first, signal: options.signal }, async (connection) => {
      begun.resolve(connection);
      await this.#over.promise;
    });
    this.#transaction.catch(begun.reject);
    return begun.promise;
  }
}

export const numberIn = (result: Result | undefined): number => Number(result?.rows[0]?.value ?? 0);
