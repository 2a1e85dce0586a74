import { compareText } from '../query/compare-text.ts';
import { equals, stringField } from '../query/index.ts';
import type { Query, Read, Row, Transaction, TransactionMode, Uncommitted } from '../storage/port.ts';
import { type CachedState, rowKey } from './cached-state.ts';
import { knownReferences } from './known-references.ts';
import { type CacheableQuestion, listingRows } from './question.ts';
import { isRecordedWholly, recordedTable } from './recorded-tables.ts';
import { partBy } from './table-part.ts';

/** Rows of a list that is kept, at most: the policies of an identity, not a page. */
export const MOST_ROWS = 50;

/** What is remembered of the answer to a question. */
export interface Recollection {
  /** Undefined if nothing is. */
  readonly value: unknown;
  /** Remembers an answer: of `rest`, where there is one. */
  keep(answer: number | readonly unknown[]): void;
  /** What is known of a part of the answer, if anything is. */
  readonly found?: readonly string[];
  /** What is left to ask then. */
  readonly rest?: Read;
}

/** Remembers an answer, where it may be. */
export const kept = <T extends number | readonly unknown[]>(known: Recollection | undefined, answer: T): T => {
  known?.keep(answer);
  return answer;
};

/**
 * What one transaction remembers of earlier reads, in the state that it sees. One that may write remembers rows by id and no answers: what it is judged by is
 * asked of the store. Once it has written, only rows are left that were not.
 */
export class Recollections {
  readonly #tx: Transaction;
  readonly #state: CachedState;
  readonly #mode: TransactionMode;
  readonly #known: number;
  /** What others have written who share its commit, and itself. */
  readonly #uncommitted: Uncommitted | undefined;
  /** The revision of the state that it sees. */
  #revision: Promise<number> | undefined;
  #hasWritten: boolean;

  constructor(tx: Transaction, state: CachedState, mode: TransactionMode) {
    this.#tx = tx;
    this.#uncommitted = tx.uncommitted;
    this.#hasWritten = this.#uncommitted?.isEmpty === false;
    this.#state = state;
    this.#mode = mode;
    this.#known = state.revision;
  }

  /** The transaction writes: from now on, the store is asked for all but rows by id of which it is known that they were not written. */
  writes(): void {
    this.#hasWritten = true;
  }

  revision(): Promise<number> {
    return this.#hasWritten ? this.#tx.revision() : this.current();
  }

  /** The revision when it began, up to which the state has caught up. */
  current(): Promise<number> {
    this.#revision ??= this.#caughtUp();
    return this.#revision;
  }

  async #caughtUp(): Promise<number> {
    const revision = this.#uncommitted?.since ?? (await this.#tx.revision());
    await this.#state.catchUp(this.#tx, revision, this.#known);
    return revision;
  }

  row(kind: string, id: string): Promise<Row | undefined> {
    return isRecordedWholly(kind) ? this.glimpse(kind, id) : this.#tx.get(kind, id);
  }

  /** The row with an id: `CachedTransaction.glimpse`. */
  async glimpse(kind: string, id: string): Promise<Row | undefined> {
    if (this.#isWritten(kind, id) || !recordedTable(kind)) return this.#tx.get(kind, id);
    const revision = await this.current();
    const known = this.#rowAt(kind, id, revision);
    if (known) return known;
    const row = await this.#tx.get(kind, id);
    if (row && !this.#isWritten(kind, id)) this.#state.keepRow(kind, row, revision);
    return row;
  }

  /** The rows with these ids, in their order; undefined for those that are not known. */
  async rows(kind: string, ids: readonly string[]): Promise<readonly (Row | undefined)[]> {
    const revision = await this.current();
    return ids.map((id) => this.#rowAt(kind, id, revision));
  }

  async keepRows(kind: string, rows: readonly Row[]): Promise<void> {
    const revision = await this.current();
    if (!this.#hasWritten) for (const row of rows) this.#state.keepRow(kind, row, revision);
  }

  /** The row with a unique value: `CachedTransaction.recall`. */
  async recall(kind: string, field: string, value: string): Promise<Row | undefined> {
    const find = async () => (await this.#tx.list(kind, { where: equals(stringField(field), value), limit: 1 }))[0];
    if (this.#mode === 'write') return find();
    const revision = await this.current();
    const key = `unique ${partBy(kind, field, value)}`;
    const id = this.#state.find(key, revision);
    const known = id === undefined ? undefined : this.#rowAt(kind, String(id), revision);
    if (known?.[field] === value) return known;
    const row = await find();
    if (row) {
      this.#state.keep(key, row.id, revision, [partBy(kind, 'id', row.id)]);
      this.#state.keepRow(kind, row, revision);
    }
    return row;
  }

  /** The answer to a question, remembered or read. */
  async answer<T extends number | readonly unknown[]>(question: CacheableQuestion, read: () => Promise<T>): Promise<T> {
    const known = await this.#of(question);
    return (known?.value as T | undefined) ?? kept(known, await read()); // of the same question
  }

  /** Of the answer to a question; undefined if nothing may be remembered. */
  async read(asked: Read): Promise<Recollection | undefined> {
    if (asked.read === 'list') return this.list(asked.kind, asked.query);
    return this.#mode === 'write' ? undefined : knownReferences(this.#state, asked, await this.current());
  }

  /** Of a list. Rows of short lists are also remembered by id, so that what refers to them finds them. */
  async list(kind: string, query: Query): Promise<Recollection | undefined> {
    const known = await this.rowsOf(kind, listingRows(kind, query));
    if (!known || known.value) return known;
    const revision = await this.current();
    const rows = idsIn(query)?.map((id) => this.#rowAt(kind, id, revision));
    return { ...known, value: rows?.every((row) => row !== undefined) ? rows : undefined };
  }

  /** Of rows that a question finds. */
  async rowsOf(kind: string, question: CacheableQuestion): Promise<Recollection | undefined> {
    const known = isRecordedWholly(kind) ? await this.#of(question) : undefined;
    if (!known || known.value) return known;
    const revision = await this.current();
    const keep = (rows: readonly unknown[]) => {
      if (rows.length > MOST_ROWS) return;
      known.keep(rows);
      for (const row of rows as readonly Row[]) this.#state.keepRow(kind, row, revision); // of a list
    };
    return { value: undefined, keep };
  }

  async #of(question: CacheableQuestion): Promise<Recollection | undefined> {
    if (this.#mode === 'write') return undefined;
    const revision = await this.current();
    const key = question.key();
    const keep = (answer: number | readonly unknown[]) => {
      const dependsOn = question.dependencies();
      if (dependsOn) this.#state.keep(key, answer, revision, dependsOn);
    };
    return { value: this.#state.find(key, revision), keep };
  }

  #isWritten(kind: string, id: string): boolean {
    return this.#uncommitted?.has(kind, id) ?? this.#hasWritten;
  }

  #rowAt(kind: string, id: string, revision: number): Row | undefined {
    return this.#state.find(rowKey(kind, id), revision) as Row | undefined; // of `keepRow`
  }
}

/** The ids that a list asks for, and nothing else, in its order. */
const idsIn = ({ where, sort = [], offset = 0, limit }: Query): readonly string[] | undefined => {
  if (where.op !== 'in' || where.field.path.join() !== 'id' || sort.length > 0 || offset > 0 || limit !== undefined) return undefined;
  return [...new Set(where.values.map(String))].toSorted(compareText);
};
