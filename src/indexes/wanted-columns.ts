import type { Query } from '../storage/port.ts';
import { columnsIn } from './question.ts';
import type { Columns } from './table-index.ts';

/** Questions for a column before it is made. */
const ASKED_BEFORE = 2;
/** Maximum number of columns of each form per table: the first ones requested. */
const MAX_COLUMNS = 4;

/** The columns of a table that questions have asked for: each takes memory for every row, and most tables need none. A class, because it counts. */
export class WantedColumns {
  readonly #hidden: ReadonlySet<string>;
  readonly #orders = new Map<string, number>();
  readonly #texts = new Map<string, number>();
  #isRefused = false;

  /** @param hidden fields that change records do not show, so that nothing can be kept in step with them */
  constructor(hidden: ReadonlySet<string>) {
    this.#hidden = hidden;
  }

  /** Those that a question could use. */
  askedBy({ where, sort = [] }: Query): Columns {
    const [key, ...more] = sort;
    const isOne = key !== undefined && more.length === 0 && key.field.path.length === 1;
    const isVisible = (field: string) => !this.#isRefused && !this.#hidden.has(field);
    const orders = new Set([...(isOne ? [key.field.path[0]] : []), ...columnsIn(where, 'compare')]);
    return { orders: [...orders].filter(isVisible), texts: columnsIn(where, 'contains').filter(isVisible) };
  }

  count({ orders, texts }: Columns): void {
    for (const field of orders) this.#orders.set(field, (this.#orders.get(field) ?? 0) + 1);
    for (const field of texts) this.#texts.set(field, (this.#texts.get(field) ?? 0) + 1);
  }

  /** The columns that are worth their memory. */
  get wanted(): Columns {
    return { orders: this.#isRefused ? [] : often(this.#orders), texts: this.#isRefused ? [] : often(this.#texts) };
  }

  /** Call if there is no memory for any. */
  refuse(): void {
    this.#isRefused = true;
  }
}

const often = (asked: ReadonlyMap<string, number>): readonly string[] =>
  [...asked].flatMap(([field, times]) => (times >= ASKED_BEFORE ? [field] : [])).slice(0, MAX_COLUMNS);
