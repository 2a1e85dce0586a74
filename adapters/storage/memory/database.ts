/**
 * State that several memory stores may share, each with its own namespace. The state of a namespace is immutable (copy-on-write): a writer
 * modifies its own copy, which replaces the state on commit. So uncommitted writes are invisible, readers keep the snapshot with which they
 * started and never wait, and a rollback discards the copy. Writers run one at a time.
 */
import { newSecretKey, type StorageSchema, Turns } from '../../../src/adapter-kit.ts';
import { emptyTable, reindex, type Table } from './table.ts';

export interface State {
  readonly revision: number;
  readonly tables: ReadonlyMap<string, Table>;
}

/** The copy of a write transaction, which replaces the state of a namespace on commit. */
interface Draft extends State {
  revision: number;
  readonly tables: Map<string, Table>;
}

/** The access of a transaction to the state of a namespace. */
export interface View {
  read(): State;
  /** @throws TypeError in a read transaction */
  change(): Draft;
}

/** Default time for which a writer waits for other writers. ms */
const LOCK_TIMEOUT = 5000;
const EMPTY: State = { revision: 0, tables: new Map() };

export class Database {
  /** The secret key of the controllers on this store. It is kept here because it must live as long as the data encrypted with it. */
  readonly secretKey = newSecretKey();
  readonly #states = new Map<string, State>();
  readonly #turns = new Turns<undefined>();
  #isWriting = false;

  /** Creates the missing tables of a namespace. If the schema of a table has changed, keeps its rows and rebuilds its indexes. */
  prepare(namespace: string, schema: StorageSchema): void {
    const { revision, tables } = this.state(namespace);
    const prepared = schema.map((kind): [string, Table] => {
      const table = tables.get(kind.kind);
      if (!table) return [kind.kind, emptyTable(kind)];
      return [kind.kind, JSON.stringify(table.schema) === JSON.stringify(kind) ? table : reindex(table, kind)];
    });
    this.#states.set(namespace, { revision, tables: new Map([...tables, ...prepared]) });
  }

  state(namespace: string): State {
    return this.#states.get(namespace) ?? EMPTY;
  }

  /**
   * Begins a write transaction after all earlier ones have ended.
   * @param lockTimeout time to wait for earlier transactions, in ms. Default: 5000
   * @throws StoreBusy after that time
   */
  async begin(lockTimeout = LOCK_TIMEOUT): Promise<MemoryHostTransaction> {
    if (this.#isWriting) await this.#turns.wait(lockTimeout);
    this.#isWriting = true;
    return new MemoryHostTransaction(this, (changed) => {
      for (const [namespace, state] of changed) this.#states.set(namespace, state);
      this.#isWriting = this.#turns.pass(undefined);
    });
  }
}

/** An open write transaction. Its writes are invisible until `commit`, and other writers wait until it has ended. */
export class MemoryHostTransaction {
  readonly #database: Database;
  readonly #end: (changed: ReadonlyMap<string, State>) => void;
  readonly #changed = new Map<string, Draft>();
  #isOver = false;

  constructor(database: Database, end: (changed: ReadonlyMap<string, State>) => void) {
    this.#database = database;
    this.#end = end;
  }

  /** @throws TypeError if the transaction has already ended */
  commit(): void {
    this.#finish(this.#changed);
  }

  /** @throws TypeError if the transaction has already ended */
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
      change: () => {
        this.#assertOpen();
        let draft = this.#changed.get(namespace);
        if (!draft) {
          const { revision, tables } = this.#database.state(namespace);
          draft = { revision, tables: new Map(tables) };
          this.#changed.set(namespace, draft);
        }
        return draft;
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
