import type { Predicate, SortKey } from '../../query/index.ts';
import { type BitSet, countBits } from './bit-set.ts';
import { bitsOf, comparisonsIn, type IndexParts } from './evaluate.ts';
import { Numbering } from './numbering.ts';
import { Posting } from './posting.ts';
import { SetSizes } from './set-sizes.ts';
import { type OrderedPage, SortOrder } from './sort-order.ts';
import { type IndexedFields, splitPredicate } from './split-predicate.ts';
import { TextIndex } from './text-index.ts';
import { ValueIndex } from './value-index.ts';

/** A row with at least its id and the fields that the index reads. */
export interface IndexedRow {
  readonly id: string;
  readonly [field: string]: unknown;
}

/** The rows that satisfy a predicate. */
export interface Members {
  readonly count: number;
  /** Their ids, in order of id. */
  page(offset: number, limit: number): readonly string[];
  /**
   * Their ids, in order of a field. Must not be called after the next write.
   * @returns undefined if the index does not have the order
   */
  sorted(by: SortKey, offset: number, limit: number): readonly string[] | undefined;
}

/** Optional parts of an index, each for one field: they take memory for every row, and only some queries need them. */
export interface Columns {
  /** Fields by which rows are sorted or compared. */
  readonly orders: readonly string[];
  /** Text fields that are searched for substrings. */
  readonly texts: readonly string[];
}

export const NO_COLUMNS: Columns = { orders: [], texts: [] };

/** The index of a table: finds its rows by the values of their fields. */
export class TableIndex {
  readonly fields: IndexedFields;
  readonly columns: Columns;
  readonly #parts: IndexParts;
  /** Memoized results of `find`, valid until the next write. */
  #answers = new WeakMap<Predicate, Members>();

  constructor(fields: IndexedFields, columns = NO_COLUMNS) {
    this.columns = columns;
    this.fields = { ...fields, ...columns };
    const numbering = new Numbering();
    const values = new Map([...fields.sets, ...fields.values.keys()].map((field) => [field, new ValueIndex()]));
    const sizes = new Map(fields.sets.map((set) => [set, new SetSizes()]));
    const texts = new Map(columns.texts.map((field) => [field, new TextIndex()]));
    const orders = new Map(columns.orders.map((field) => [field, new SortOrder(numbering)]));
    this.#parts = { numbering, rows: new Posting(), values, sizes, orders, texts };
  }

  get size(): number {
    return this.#parts.rows.size;
  }

  /** Approximate size in memory. */
  get bytes(): number {
    const { numbering, rows, values, sizes, orders, texts } = this.#parts;
    const all = [numbering, rows, ...values.values(), ...sizes.values(), ...orders.values(), ...texts.values()];
    return all.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** True if so many rows have been added or deleted that the index should be rebuilt. */
  get needsRebuild(): boolean {
    const { numbering, rows } = this.#parts;
    return numbering.needsRebuild || rows.size * 2 < numbering.width - MAX_DELETED;
  }

  /**
   * Applies a write.
   * @param before the row as the index has it; undefined if it is new
   * @param after the row as written; undefined if it was deleted
   */
  put(before: IndexedRow | undefined, after: IndexedRow | undefined): void {
    const id = (after ?? before)?.id;
    if (id === undefined) return;
    this.#answers = new WeakMap();
    const { numbering, rows, values, sizes, orders, texts } = this.#parts;
    const number = numbering.assign(id);
    const { width } = numbering;
    if (after) rows.add(number, width);
    else rows.remove(number);
    for (const set of this.fields.sets) {
      const elements = elementsIn(after, set);
      values.get(set)?.move(number, elementsIn(before, set), elements, width);
      sizes.get(set)?.put(number, elements.size, width);
    }
    for (const [field, indexedValues] of this.fields.values) {
      // A field that is missing in both images of a change is unchanged.
      if (after && before && after[field] === before[field]) continue;
      const current = indexedValues.filter((value) => after?.[field] === value);
      values.get(field)?.move(number, new Set(after && !before ? [] : indexedValues), new Set(current), width);
    }
    for (const [field, text] of texts) text.put(number, after?.[field], width);
    for (const [field, order] of orders)
      if (after) order.put(number, after[field]);
      else order.remove(number);
  }

  /**
   * The numbers of the rows that satisfy a predicate.
   * @returns undefined if the index cannot evaluate it
   */
  bitsOf(where: Predicate): BitSet | undefined {
    const split = splitPredicate(this.fields, where, true);
    return split?.rest.op === 'all' ? bitsOf(this.#parts, split.indexed) : undefined;
  }

  /** The numbers of the rows. A number never changes while the index exists. */
  get numbering(): Pick<Numbering, 'width' | 'numberOf' | 'idOf'> {
    return this.#parts.numbering;
  }

  /** @param indexed a predicate for which `splitPredicate` found that the index can evaluate it */
  find(indexed: Predicate): Members {
    let members = this.#answers.get(indexed);
    if (!members) {
      const bits = bitsOf(this.#parts, indexed);
      const count = countBits(bits);
      members = {
        count,
        page: (offset, limit) => (offset < count ? this.#parts.numbering.page(bits, offset, limit) : []),
        sorted: (by, offset, limit) => this.#sorted(bits, by, { offset, limit }, indexed),
      };
      this.#answers.set(indexed, members);
    }
    return members;
  }

  #sorted(
    bits: BitSet,
    { field, descending }: SortKey,
    page: Omit<OrderedPage, 'descending'>,
    indexed: Predicate,
  ): readonly string[] | undefined {
    const { orders, numbering } = this.#parts;
    const order = field.path.length === 1 ? orders.get(field.path[0]) : undefined;
    const within = comparisonsIn(indexed).filter((each) => each.field.path[0] === field.path[0]);
    return order?.page(bits, { ...page, descending }, within).map((number) => numbering.idOf(number));
  }
}

/** Number of deleted rows that never makes a rebuild necessary, however small the table is. */
const MAX_DELETED = 1024;

/** The elements of a set; none if an earlier release wrote the row without this field. */
const elementsIn = (row: IndexedRow | undefined, set: string): ReadonlySet<string> => {
  const value = row?.[set];
  return new Set(Array.isArray(value) ? value.filter((element) => typeof element === 'string') : []);
};
