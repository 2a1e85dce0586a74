/**
 * State that several memory stores may share, each in its own namespace. The state of a namespace is one immutable value. A writer works on its own
 * copy, which replaces the state on commit and is discarded on rollback. So uncommitted writes are invisible, and readers keep the state that they began
 * with and never wait. Writers run one at a time.
 */
import { newSecretKey, type StorageSchema } from '../../../src/adapter-kit.ts';
import { emptyTable, reindexed, type Table } from './table.ts';

export interface State {
  readonly revision: number;
  readonly tables: ReadonlyMap<string, Table>;
}

/** A transaction's view of a namespace. */
export interface View {
  read(): State;
  /** @throws TypeError in a read transaction */
  write(state: State): void;
}

const EMPTY: State = { revision: 0, tables: new Map() };

export class Database {
  /** The secret key of the controllers that use this database. Kept here, because it must live as long as the data that is sealed with it. */
  readonly secretKey = newSecretKey();
  readonly #states = new Map<string, State>();
  #lastWriter: Promise<void> = Promise.resolve();

  /** Prepares the tables of a namespace. Rows of an earlier schema are kept and reindexed. */
  prepare(namespace: string, schema: StorageSchema): void {
    const { revision, tables } = this.state(namespace);
    const prepared = schema.map((kind): [string, Table] => {
      const table = tables.get(kind.kind);
      if (!table) return [kind.kind, emptyTable(kind)];
      return [kind.kind, JSON.stringify(table.schema) === JSON.stringify(kind) ? table : reindexed(table, kind)];
    });
    this.#states.set(namespace, { revision, tables: new Map([...tables, ...prepared]) });
  }

  state(namespace: string): State {
    return this.#states.get(namespace) ?? EMPTY;
  }

  /** Waits for earlier writers. Later ones wait until this one has ended. */
  async begin(): Promise<MemoryHostTransaction> {
    const previous = this.#lastWriter;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#lastWriter = promise;
    await previous;
    return new MemoryHostTransaction(this, (changed) => {
      for (const [namespace, state] of changed) this.#states.set(namespace, state);
      resolve();
    });
  }
}

/** A write transaction opened by the host. Its writes are invisible until `commit`; other writers wait for it. */
export class MemoryHostTransaction {
  readonly #database: Database;
  readonly #end: (changed: ReadonlyMap<string, State>) => void;
  readonly #changed = new Map<string, State>();
  #isOver = false;

  constructor(database: Database, end: (changed: ReadonlyMap<string, State>) => void) {
    this.#database = database;
    this.#end = end;
  }

  /** @throws TypeError if the transaction has already ended. */
  commit(): void {
    this.#finish(this.#changed);
  }

  /** @throws TypeError if the transaction has already ended. */
  rollback(): void {
    this.#finish(new Map());
  }

  /** @internal */
  belongsTo(database: Database): boolean {
    return this.#database === database;
  }

  /** @internal */
  view(namespace: string): View {
    return {
      read: () => {
        this.#assertOpen();
        return this.#changed.get(namespace) ?? this.#database.state(namespace);
      },
      write: (state) => {
        this.#assertOpen();
        this.#changed.set(namespace, state);
      },
    };
  }

  #finish(changed: ReadonlyMap<string, State>): void {
    this.#assertOpen();
    this.#isOver = true;
    this.#end(changed);
  }

  #assertOpen(): void {
    if (this.#isOver) throw new TypeError('the transaction is over');
  }
}
