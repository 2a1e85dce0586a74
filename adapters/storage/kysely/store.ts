/** A store over connections to a SQL database. */

import { type Store, StoreUnavailable, type Transaction, type TransactionMode } from '../../../src/adapter-kit.ts';
import { inTransaction } from './begin.ts';
import type { Connection, Connections } from './connection.ts';
import { isKyselyTransaction, kyselyConnection } from './kysely.ts';
import type { Scope } from './scope.ts';
import { KyselyTransaction } from './transaction.ts';

/** Where a store's connections come from. */
export interface Source {
  readonly writer: Connections;
  readonly reader: Connections;
  /** A connection on which the host has begun a transaction by other means than Kysely. */
  joined?(host: unknown): Connection | undefined;
  close(): Promise<void>;
}

export class KyselyStore implements Store {
  readonly #source: Source;
  readonly #scope: Scope;
  readonly #lockTimeout: number;
  #isClosed = false;

  constructor(source: Source, scope: Scope, lockTimeout: number) {
    this.#source = source;
    this.#scope = scope;
    this.#lockTimeout = lockTimeout;
  }

  async transaction<T>(mode: TransactionMode, work: (tx: Transaction) => Promise<T>): Promise<T> {
    this.#assertOpen();
    const connections = mode === 'read' ? this.#source.reader : this.#source.writer;
    const begin = { mode, lockTimeout: this.#lockTimeout, lock: mode === 'write' ? this.#scope.lockWriters() : undefined };
    return inTransaction(this.#scope.engine, connections, begin, async (connection) => {
      const tx = new KyselyTransaction(connection, this.#scope, mode);
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
    return new KyselyTransaction(connection, this.#scope, 'write', { lock: this.#scope.lockWriters() });
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
