import type { Predicate } from '../../query/index.ts';
import type { Query } from '../storage/port.ts';
import { isRange, isSearchable } from './split-predicate.ts';
import type { Columns } from './table-index.ts';

/** Number of queries that could use a column after which it is built. */
const MIN_QUERIES = 2;
/** Maximum number of columns of each type per table. The fields that were queried first win. */
const MAX_COLUMNS = 4;

/**
 * Counts the queries that could use a column, to find the columns worth building: each takes memory for every row, and most tables need
 * none.
 */
export class WantedColumns {
  readonly #hidden: ReadonlySet<string>;
  readonly #orders = new Map<string, number>();
  readonly #texts = new Map<string, number>();
  #isRefused = false;

  /** @param hidden fields that change records omit, so that no column for them could be kept up to date */
  constructor(hidden: ReadonlySet<string>) {
    this.#hidden = hidden;
  }

  /** The columns that a query could use. */
  usefulFor({ where, sort = [] }: Query): Columns {
    const [key, ...more] = sort;
    const isSingleField = key !== undefined && more.length === 0 && key.field.path.length === 1;
    const isVisible = (field: string) => !this.#isRefused && !this.#hidden.has(field);
    const orders = new Set([...(isSingleField ? [key.field.path[0]] : []), ...columnsIn(where, 'compare')]);
    return { orders: [...orders].filter(isVisible), texts: columnsIn(where, 'contains').filter(isVisible) };
  }

  count({ orders, texts }: Columns): void {
    for (const field of orders) this.#orders.set(field, (this.#orders.get(field) ?? 0) + 1);
    for (const field of texts) this.#texts.set(field, (this.#texts.get(field) ?? 0) + 1);
  }

  /** Counts a column that queries will use. */
  expect(order: string): void {
    if (!this.#hidden.has(order)) this.#orders.set(order, MIN_QUERIES);
  }

  /** The columns worth their memory. */
  get wanted(): Columns {
    return { orders: this.#isRefused ? [] : frequent(this.#orders), texts: this.#isRefused ? [] : frequent(this.#texts) };
  }

  /** Stops building columns. Call this if they do not fit into memory. */
  refuse(): void {
    this.#isRefused = true;
  }
}

const frequent = (counts: ReadonlyMap<string, number>): readonly string[] =>
  [...counts].flatMap(([field, times]) => (times >= MIN_QUERIES ? [field] : [])).slice(0, MAX_COLUMNS);

/** The fields that a predicate searches (`contains`) or compares, and for which a column could be built. */
export const columnsIn = (where: Predicate, op: 'contains' | 'compare'): readonly string[] => {
  if (where.op === 'and' || where.op === 'or') return [...new Set(where.terms.flatMap((term) => columnsIn(term, op)))];
  if (where.op === 'not') return columnsIn(where.term, op);
  if (where.op === 'contains' && op === 'contains') return isSearchable(where) ? [where.field.path[0]] : [];
  return where.op === 'compare' && op === 'compare' && isRange(where) ? [where.field.path[0]] : [];
};
