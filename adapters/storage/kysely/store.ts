/** The store port over connections to a SQL database. */
import {
  type Semaphore,
  type Store,
  StoreUnavailable,
  type Transaction,
  type TransactionMode,
  type TransactionOptions,
} from '../../../src/adapter-kit.ts';
import { type Begin, inTransaction } from './begin.ts';
import type { Connection, Connections } from './connection.ts';
import { isKyselyTransaction, kyselyConnection } from './kysely.ts';
import type { Fence } from './migrate.ts';
import type { Result } from './result.ts';
import type { Scope } from './scope.ts';
import { type Joining, Session } from './session.ts';
import { KyselyTransaction } from './transaction.ts';

/** The connections of a store. */
export interface Source {
  readonly writer: Connections;
  readonly reader: Connections;
  /** Permits for the reads of ordinary sessions, if the number of connections is known. */
  readonly places?: Semaphore;
  /** The connection of a transaction that the host has begun without Kysely. */
  joined?(host: unknown): Connection | undefined;
  close(): Promise<void>;
}

/** Timeouts of a store, in milliseconds. */
export interface Timeouts {
  /** Waiting for the lock of the writers. */
  readonly lockTimeout: number;
  /** One statement. */
  readonly statementTimeout: number;
  /** A pause between two statements of a writer, which holds the lock. */
  readonly pauseTimeout: number;
}

/** `pauseTimeout` of a writer whose work may pause. ms */
const LONG_PAUSE = 60_000;
/** Longer than the server needs to cancel a statement at its own timeout: a server that has not answered then is lost. ms */
const GRACE = 2000;

/** Waiting for a lock is part of the statement that takes it, so `answerTimeout` covers both timeouts. */
const beginOptions = (
  mode: TransactionMode,
  { lockTimeout, statementTimeout, pauseTimeout }: Timeouts,
  options: TransactionOptions,
): Begin => ({
  mode,
  limits: { lockTimeout, statementTimeout, pauseTimeout: options.mayPause ? LONG_PAUSE : pauseTimeout },
  answerTimeout: Math.max(lockTimeout, statementTimeout) + Math.min(GRACE, statementTimeout),
  signal: options.signal,
});

export class KyselyStore implements Store {
  readonly places?: Semaphore;
  readonly #source: Source;
  readonly #scope: Scope;
  readonly #timeouts: Timeouts;
  readonly #fence: Fence;
  #isClosed = false;

  constructor(source: Source, scope: Scope, timeouts: Timeouts, fence: Fence) {
    this.#source = source;
    this.#scope = scope;
    this.#timeouts = timeouts;
    this.#fence = fence;
    if (source.places) this.places = source.places;
  }

  async transaction<T>(mode: TransactionMode, work: (tx: Transaction) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    this.#assertOpen();
    const connections = mode === 'read' ? this.#source.reader : this.#source.writer;
    const begin = { ...beginOptions(mode, this.#timeouts, options), ...(mode === 'read' ? {} : this.#asWriter()) };
    return inTransaction(this.#scope.engine, connections, begin, async (connection) => {
      const tx = new KyselyTransaction(new Session(connection, this.#scope, { signal: options.signal }), mode);
      try {
        return await work(tx);
      } finally {
        tx.end();
      }
    });
  }

  join(host: unknown): Transaction {
    this.#assertOpen();
    const connection = this.#source.joined?.(host) ?? (isKyselyTransaction(host) ? kyselyConnection(host) : undefined);
    if (!connection)
      throw new TypeError(
        'a host transaction must be an open transaction of Kysely (or the connection of this store, or a client of pg that has begun one)',
      );
    const { first, begun } = this.#asWriter();
    const begin: Joining['begin'] = async (run) => {
      const results = [];
      for (const statement of first) results.push(await run(statement));
      begun(results);
    };
    return new KyselyTransaction(new Session(connection, this.#scope, { joining: { begin } }), 'write');
  }

  async check(): Promise<void> {
    this.#assertOpen();
    const { statement, assertOurs } = this.#fence;
    const begin: Begin = { ...beginOptions('read', this.#timeouts, {}), first: [statement], begun: (results) => assertOurs(results[0]) };
    await inTransaction(this.#scope.engine, this.#source.reader, begin, async () => undefined);
  }

  /** Takes the lock of the writers of this namespace, then checks the version of the schema, which cannot change while the lock is held. */
  #asWriter() {
    const { statement, assertOurs } = this.#fence;
    return {
      first: [...this.#scope.lockWriters(this.#timeouts), statement],
      begun: (results: readonly Result[]) => assertOurs(results.at(-1)),
    };
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#source.close();
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new StoreUnavailable('the store is closed');
  }
}
