import {
  ALL,
  type Predicate,
  type Query,
  type Read,
  type ReadAnswer,
  type Row,
  readEach,
  stringField,
  type Transaction,
  type Verified,
} from '../../../src/adapter-kit.ts';
import type { View } from './database.ts';
import { countRows, listRows, type Reading, referencedValues } from './select.ts';
import type { Abortable } from './slices.ts';
import { deleteRow, emptyTable, insertRow, type Table, updateRow } from './table.ts';
import { get, walk } from './tree.ts';

/** Implements the transaction of the storage port on a view of the data. Operations take effect synchronously. */
export class MemoryTransaction implements Transaction {
  readonly host: unknown;
  readonly #view: View;
  readonly #reading: Reading;

  /**
   * @param host the transaction to pass to `Store.join`; undefined in a read transaction
   * @param options its signal is read on demand
   */
  constructor(view: View, host: unknown, options: Abortable = {}) {
    this.#view = view;
    this.host = host;
    this.#reading = { lookup: this.#find, options };
  }

  async get(kind: string, id: string): Promise<Row | undefined> {
    return this.#find(kind, id);
  }

  async list(kind: string, query: Query): Promise<readonly Row[]> {
    return listRows(this.#table(kind), query, this.#reading);
  }

  async count(kind: string, where: Predicate): Promise<number> {
    return countRows(this.#table(kind), where, this.#reading);
  }

  async insert(kind: string, row: Row): Promise<void> {
    this.#put(insertRow(this.#table(kind), row));
  }

  async update(kind: string, row: Row, expected: number): Promise<void> {
    this.#put(updateRow(this.#table(kind), row, expected));
  }

  async delete(kind: string, id: string): Promise<boolean> {
    const before = this.#table(kind);
    const after = deleteRow(before, id);
    this.#put(after);
    return after !== before;
  }

  async distinct(kind: string, set: string): Promise<readonly string[]> {
    const values: string[] = [];
    const index = this.#table(kind).indexes.get(set);
    // The index of a set has its elements as keys, which are text.
    if (index) walk(index, (_, value) => values.push(value as string) > 0);
    return values;
  }

  async referenced(kind: string, field: string, values: readonly string[], where: Predicate = ALL): Promise<readonly string[]> {
    return referencedValues(this.#table(kind), stringField(field), values, where, this.#reading);
  }

  readAll(reads: readonly Read[]): Promise<readonly ReadAnswer[]> {
    return readEach(this, reads);
  }

  async revision(): Promise<number> {
    return this.#view.read().revision;
  }

  async nextRevision(atLeast = 1): Promise<number> {
    const draft = this.#view.change();
    draft.revision = Math.max(draft.revision + 1, atLeast);
    return draft.revision;
  }

  /** Never finds a fault: a table and its indexes are one immutable value, so they cannot disagree. */
  async verify(kind: string): Promise<Verified> {
    this.#table(kind);
    return { faults: [], next: undefined };
  }

  async repair(kind: string): Promise<boolean> {
    this.#put(this.#table(kind));
    return true;
  }

  async forget(): Promise<void> {
    const draft = this.#view.change();
    draft.revision = 0;
    for (const [kind, { schema }] of draft.tables) draft.tables.set(kind, emptyTable(schema));
  }

  readonly #find = (kind: string, id: string): Row | undefined => get(this.#table(kind).rows, id);

  #table(kind: string): Table {
    const table = this.#view.read().tables.get(kind);
    if (!table) throw new TypeError(`the storage schema has no kind '${kind}'`);
    return table;
  }

  #put(table: Table): void {
    this.#view.change().tables.set(table.schema.kind, table);
  }
}
