import { equals, type Predicate, stringField } from '../query/index.ts';
import type { Query, Row, Transaction, TransactionMode, Verified, VerifyPage } from '../storage/port.ts';

/** What is kept of earlier reads, as transactions use it. */
export interface CachedState {
  /** The latest that it knows; -1 before the first. */
  readonly revision: number;
  /** Whether every write to a table draws a revision, so that what is kept of it can be judged. */
  isCached(table: string): boolean;
  /** What is kept under a key and was already true at a revision. */
  find(key: string, revision: number): unknown;
  /** Keeps what was read at a revision and is true since another, unless later changes are known. */
  keep(key: string, value: Row | string | number | readonly unknown[], revision: number, since: number): void;
  /** The revision of the last known change to a table. */
  changedAt(table: string): number;
  /**
   * Moves on to the revision that a transaction sees.
   * @param known the latest revision when the transaction began: one that sees less is on a database that lost commits, e.g. at a fail-over
   */
  catchUp(tx: Transaction, revision: number, known: number): Promise<void>;
}

/** Rows of a list that is kept, at most: the policies of an identity, not a page. */
const MOST_ROWS = 50;

export const rowKey = (table: string, id: string): string => `${table} ${id}`;

/** A transaction that reads known rows and answers from memory, until it has written. A class like `OngoingCall`: many are created, each with many methods. */
export class CachedTransaction implements Transaction {
  readonly #tx: Transaction;
  readonly #state: CachedState;
  readonly #mode: TransactionMode;
  readonly #known: number;
  /** The revision of the state that it sees. */
  #revision: Promise<number> | undefined;
  #hasWritten = false;

  constructor(tx: Transaction, state: CachedState, mode: TransactionMode) {
    this.#tx = tx;
    this.#state = state;
    this.#mode = mode;
    this.#known = state.revision;
  }

  get host(): unknown {
    return this.#tx.host;
  }

  async get(kind: string, id: string): Promise<Row | undefined> {
    return this.#state.isCached(kind) ? this.#row(kind, id) : this.#tx.get(kind, id);
  }

  /**
   * The row with a unique value. Of a kind with volatile fields, these may be as they were earlier, as later values draw no revision; in a transaction
   * that writes, all fields are as they are stored.
   */
  async recall(kind: string, field: string, value: string): Promise<Row | undefined> {
    const find = async () => (await this.#tx.list(kind, { where: equals(stringField(field), value), limit: 1 }))[0];
    if (this.#mode === 'write') return find();
    const revision = await this.#current();
    const key = JSON.stringify([kind, field, value]);
    const id = this.#state.find(key, revision);
    const known = id === undefined ? undefined : (this.#state.find(rowKey(kind, String(id)), revision) as Row | undefined); // `keep` below
    if (known?.[field] === value) return known;
    const row = await find();
    if (row) {
      this.#state.keep(key, row.id, revision, row.version);
      this.#state.keep(rowKey(kind, row.id), row, revision, row.version);
    }
    return row;
  }

  async list(kind: string, query: Query): Promise<readonly Row[]> {
    const read = () => this.#tx.list(kind, query);
    return this.#answer(kind, ['list', query], read, (rows) => rows.length <= MOST_ROWS);
  }

  async count(kind: string, where: Predicate): Promise<number> {
    return this.#answer(kind, ['count', where], () => this.#tx.count(kind, where));
  }

  async distinct(kind: string, set: string): Promise<readonly string[]> {
    return this.#answer(kind, ['distinct', set], () => this.#tx.distinct(kind, set));
  }

  async referenced(kind: string, field: string, values: readonly string[], where?: Predicate): Promise<readonly string[]> {
    return this.#answer(kind, ['referenced', field, values, where], () => this.#tx.referenced(kind, field, values, where));
  }

  async insert(kind: string, row: Row): Promise<void> {
    this.#hasWritten = true;
    return this.#tx.insert(kind, row);
  }

  async update(kind: string, row: Row, expected: number): Promise<void> {
    this.#hasWritten = true;
    return this.#tx.update(kind, row, expected);
  }

  async delete(kind: string, id: string): Promise<boolean> {
    this.#hasWritten = true;
    return this.#tx.delete(kind, id);
  }

  async revision(): Promise<number> {
    return this.#hasWritten ? this.#tx.revision() : this.#current();
  }

  async nextRevision(atLeast?: number): Promise<number> {
    this.#hasWritten = true;
    return this.#tx.nextRevision(atLeast);
  }

  async verify(kind: string, page: VerifyPage): Promise<Verified> {
    return this.#tx.verify(kind, page);
  }

  async repair(kind: string, id?: string): Promise<boolean> {
    this.#hasWritten = true;
    return this.#tx.repair(kind, id);
  }

  async forget(): Promise<void> {
    this.#hasWritten = true;
    return this.#tx.forget();
  }

  #current(): Promise<number> {
    this.#revision ??= this.#tx.revision().then(async (revision) => {
      await this.#state.catchUp(this.#tx, revision, this.#known);
      return revision;
    });
    return this.#revision;
  }

  async #row(kind: string, id: string): Promise<Row | undefined> {
    if (this.#hasWritten) return this.#tx.get(kind, id);
    const revision = await this.#current();
    const known = this.#state.find(rowKey(kind, id), revision);
    if (known) return known as Row; // kept below
    const row = await this.#tx.get(kind, id);
    if (row && !this.#hasWritten) this.#state.keep(rowKey(kind, id), row, revision, row.version);
    return row;
  }

  async #answer<T extends number | readonly unknown[]>(
    kind: string,
    question: readonly unknown[],
    read: () => Promise<T>,
    isKept: (answer: T) => boolean = () => true,
  ): Promise<T> {
    if (this.#hasWritten || !this.#state.isCached(kind)) return read();
    const revision = await this.#current();
    // With the next change to the table, the question is another one.
    const since = this.#state.changedAt(kind);
    const key = JSON.stringify([since, kind, ...question]);
    const known = this.#state.find(key, revision);
    if (known !== undefined) return known as T; // kept below
    const answer = await read();
    if (!this.#hasWritten && isKept(answer)) this.#state.keep(key, answer, revision, since);
    return answer;
  }
}
