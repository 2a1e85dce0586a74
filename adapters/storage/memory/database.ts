/**
 * State that several memory stores may share, each in its own namespace. The state of a namespace is one immutable value: a writer works on its own
 * copy and puts it in place when it commits. So uncommitted writes are invisible, readers keep the state that they began with and never wait, and a
 * rollback just drops the copy. Writers run one at a time.
 */
import { newSecretKey, type StorageSchema } from '../../../src/adapter-kit.ts';
import { emptyTable, reindexed, type Table } from './table.ts';

export interface State {
  readonly revision: number;
  readonly tables: ReadonlyMap<string, Table>;
}

/** How a transaction reaches the state of its namespace. */
export interface View {
  read(): State;
  /** @throws TypeError in a transaction that only reads. */
  write(state: State): void;
}

const EMPTY: State = { revision: 0, tables: new Map() };

export class Database {
  /** Ends with the data that is sealed under it. */
  readonly secretKey = newSecretKey();
  readonly #states = new Map<string, State>();
  #lastWriter: Promise<void> = Promise.resolve();

  /** Prepares the tables of a namespace; rows of an earlier schema are kept and indexed anew. */
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

  /** Waits for the writers that came before. The next one waits until this one is over. */
  async begin(): Promise<MemoryHostTransaction> {
    const before = this.#lastWriter;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#lastWriter = promise;
    await before;
    return new MemoryHostTransaction(this, (changed) => {
      for (const [namespace, state] of changed) this.#states.set(namespace, state);
      resolve();
    });
  }
}

/** An open write transaction of a host. Its writes are invisible until `commit`; other writers wait for it. */
export class MemoryHostTransaction {
  readonly #database: Database;
  readonly #end: (changed: ReadonlyMap<string, State>) => void;
  readonly #changed = new Map<string, State>();
  #isOver = false;

  constructor(database: Database, end: (changed: ReadonlyMap<string, State>) => void) {
    this.#database = database;
    this.#end = end;
  }

  /** @throws TypeError when it is over already. */
  commit(): void {
    this.#finish(this.#changed);
  }

  /** @throws TypeError when it is over already. */
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
