import { compareText } from '../query/compare-text.ts';
import { and, equals, oneOf, type Predicate, stringField } from '../query/index.ts';
import type { Query, Read, ReadAnswer, Row, Transaction, TransactionMode, Verified, VerifyPage } from '../storage/port.ts';
import { readEach } from '../storage/read-each.ts';
import type { Indexed } from './index-follower.ts';

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
  /** The rows that a role index finds, in the state that a transaction sees; undefined where the store must be asked. */
  indexed(tx: Transaction, table: string, where: Predicate, revision: number): Promise<Indexed | undefined>;
  /**
   * Moves on to the revision that a transaction sees.
   * @param known the latest revision when the transaction began: one that sees less is on a database that lost commits, e.g. at a fail-over
   */
  catchUp(tx: Transaction, revision: number, known: number): Promise<void>;
}

/** Rows of a list that is kept, at most: the policies of an identity, not a page. */
const MOST_ROWS = 50;

/** Rows that a store is asked for by id, at most: the largest page, and the candidates of a question that is only half answered. */
const MOST_IDS = 500;

const ID = stringField('id');

const among = ({ count, page }: Indexed): Predicate => oneOf(ID, page(0, count));

export const rowKey = (table: string, id: string): string => `${table} ${id}`;

/** A transaction that reads known rows and answers from memory, until it has written. A class like `OngoingCall`: many are created, each with many methods. */
export class CachedTransaction implements Transaction {
  readonly #tx: Transaction;
  readonly #state: CachedState;
  readonly #mode: TransactionMode;
  readonly #known: number;
  /** The revision of the state that it sees. */
  #revision: Promise<number> | undefined;
  #hasWritten: boolean;

  constructor(tx: Transaction, state: CachedState, mode: TransactionMode) {
    this.#tx = tx;
    // What others have written who share its commit is as its own.
    this.#hasWritten = tx.seesUncommitted ?? false;
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
    const known = await this.#knownList(kind, query);
    const find = async () => (await this.#listMembers(kind, query)) ?? (await this.#tx.list(kind, query));
    return (known?.value as readonly Row[] | undefined) ?? kept(known, await find()); // of a list
  }

  async count(kind: string, where: Predicate): Promise<number> {
    return this.#answer(kind, ['count', where], async () => (await this.#countMembers(kind, where)) ?? this.#tx.count(kind, where));
  }

  async distinct(kind: string, set: string): Promise<readonly string[]> {
    return this.#answer(kind, ['distinct', set], () => this.#tx.distinct(kind, set));
  }

  async referenced(kind: string, field: string, values: readonly string[], where?: Predicate): Promise<readonly string[]> {
    return this.#answer(kind, ['referenced', field, values, where], () => this.#tx.referenced(kind, field, values, where));
  }

  async readAll(reads: readonly Read[]): Promise<readonly ReadAnswer[]> {
    const known = await Promise.all(
      reads.map((each) =>
        each.read === 'list'
          ? this.#knownList(each.kind, each.query)
          : this.#recollect(each.kind, ['referenced', each.field, each.values, each.where]),
      ),
    );
    const unknown = reads.filter((_, i) => known[i]?.value === undefined);
    const answers = unknown.length > 1 ? await this.#tx.readAll(unknown) : await readEach(this.#tx, unknown);
    // Kept as the answer to the same question.
    return reads.map((each, i) => (known[i]?.value as readonly Row[] | undefined) ?? kept(known[i], answers[unknown.indexOf(each)] ?? []));
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

  /** What a role index finds. A transaction that may write asks the store. */
  async #members(kind: string, where: Predicate): Promise<Indexed | undefined> {
    if (this.#mode === 'write' || !this.#state.isCached(kind)) return undefined;
    return this.#state.indexed(this.#tx, kind, where, await this.#current());
  }

  async #listMembers(kind: string, query: Query): Promise<readonly Row[] | undefined> {
    const members = await this.#members(kind, query.where);
    if (!members) return undefined;
    const { count, rest } = members;
    const { sort = [], offset = 0, limit = Infinity } = query;
    if (rest.op === 'all' && sort.length === 0) {
      const ids = Math.min(limit, count - offset) > MOST_IDS ? undefined : members.page(offset, limit);
      return ids && this.#rows(kind, ids, limit === Infinity);
    }
    return count > MOST_IDS ? undefined : this.#tx.list(kind, { ...query, where: and(among(members), rest) });
  }

  async #countMembers(kind: string, where: Predicate): Promise<number | undefined> {
    const members = await this.#members(kind, where);
    if (!members || members.rest.op === 'all') return members?.count;
    return members.count > MOST_IDS ? undefined : this.#tx.count(kind, and(among(members), members.rest));
  }

  /** Rows that there are, in order of id. @param areAll whether they are all that a question finds, such as the policies of an identity, and not a page */
  async #rows(kind: string, ids: readonly string[], areAll: boolean): Promise<readonly Row[]> {
    const revision = await this.#current();
    const known = ids.map((id) => this.#state.find(rowKey(kind, id), revision) as Row | undefined); // kept as such
    const missing = ids.filter((_, i) => known[i] === undefined);
    if (missing.length === 0) return known as readonly Row[]; // none is missing
    const read = await this.#tx.list(kind, { where: oneOf(ID, missing) });
    if (areAll) for (const row of read) this.#state.keep(rowKey(kind, row.id), row, revision, row.version);
    const found = new Map(read.map((row) => [row.id, row]));
    return ids.flatMap((id, i) => known[i] ?? found.get(id) ?? []);
  }

  async #answer<T extends number | readonly unknown[]>(kind: string, question: readonly unknown[], read: () => Promise<T>): Promise<T> {
    const known = await this.#recollect(kind, question);
    return (known?.value as T | undefined) ?? kept(known, await read()); // of the same question
  }

  /** What is remembered of the answer to a question; undefined if nothing may be. */
  async #recollect(kind: string, question: readonly unknown[]): Promise<Recollection | undefined> {
    if (this.#hasWritten || !this.#state.isCached(kind)) return undefined;
    const revision = await this.#current();
    // With the next change to the table, the question is another one.
    const since = this.#state.changedAt(kind);
    const key = JSON.stringify([since, kind, ...question]);
    const keep = (answer: number | readonly unknown[]) => {
      if (!this.#hasWritten) this.#state.keep(key, answer, revision, since);
    };
    return { value: this.#state.find(key, revision), keep };
  }

  /** The same of a list. Rows of short lists are also remembered by id, so that what refers to them finds them. */
  async #knownList(kind: string, query: Query): Promise<Recollection | undefined> {
    const known = await this.#recollect(kind, ['list', query]);
    if (!known || known.value) return known;
    const revision = await this.#current();
    const keep = (rows: readonly unknown[]) => {
      if (rows.length > MOST_ROWS || this.#hasWritten) return;
      known.keep(rows);
      for (const row of rows as readonly Row[]) this.#state.keep(rowKey(kind, row.id), row, revision, row.version); // of a list
    };
    const rows = idsIn(query)?.map((id) => this.#state.find(rowKey(kind, id), revision) as Row | undefined); // kept as such
    return { value: rows?.every((row) => row !== undefined) ? rows : undefined, keep };
  }
}

/** What is remembered of the answer to a question. */
interface Recollection {
  readonly value: unknown;
  keep(answer: number | readonly unknown[]): void;
}

const kept = <T extends number | readonly unknown[]>(known: Recollection | undefined, answer: T): T => {
  known?.keep(answer);
  return answer;
};

/** The ids that a list asks for, and nothing else, in its order. */
const idsIn = ({ where, sort = [], offset = 0, limit }: Query): readonly string[] | undefined => {
  if (where.op !== 'in' || where.field.path.join() !== 'id' || sort.length > 0 || offset > 0 || limit !== undefined) return undefined;
  return [...new Set(where.values.map(String))].toSorted(compareText);
};
