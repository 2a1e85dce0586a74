/**
 * Estimates the cost of a query before it runs, for a store that must examine rows. The unit is about a microsecond of processor time for
 * the page and the total count, measured with SQLite on 2,000 to 100,000 rows; other stores are faster. Every store has indexes of ids and
 * unique values, so a query for such values examines only their rows. The limits leave a margin for factors that the model ignores, such as
 * the length of strings.
 */
import type { FieldRef, Predicate, SortKey } from './predicate.ts';

/** The storage of the rows of a kind. */
export interface Shape {
  /** The column of a field, and whether it is unique; undefined if the field is only in the row's document. */
  column(field: FieldRef): 'unique' | 'plain' | undefined;
}

export type ShapeOf = (kind: string) => Shape;

/** The price of a query, independent of the number of rows. */
export interface Price {
  /** The price of each row that is examined. */
  readonly perRow: number;
  /** The price that applies to every row of the kind, even if other conditions of the query select few rows. */
  readonly perEveryRow: number;
  /** The maximum number of rows that are examined. */
  readonly reach: number;
  /** True if the documents of the rows must be read. */
  readonly readsDocument: boolean;
  /** Subqueries on rows of other kinds, each run once. */
  readonly inner: readonly { readonly kind: string; readonly price: Price }[];
}

/** Measured prices, per row unless stated otherwise. */
const WEIGHTS = {
  lookup: 0.02,
  compare: 0.1,
  contains: 0.25,
  /** Upper case costs more, because the engine calls a JavaScript function. */
  fold: 2.5,
  /** Fetching and parsing a document. */
  document: 8,
  /** Reading a value of a parsed document. */
  inDocument: 1,
  /** Per value of a list. */
  listed: 0.005,
  /** Finding the rows whose set contains a value. */
  held: 0.25,
  /** Counting the elements of a set of one row. */
  counted: 5,
  sortKey: 0.3,
} as const;

/** The assumed number of elements of a set. */
const ELEMENTS = 5;

const FREE: Price = { perRow: 0, perEveryRow: 0, reach: Infinity, readsDocument: false, inner: [] };

/**
 * The price of a query.
 * @param shapeOf returns the shape of the queried kind, and of the kinds in subqueries
 */
export const priceOf = (kind: string, where: Predicate, sort: readonly SortKey[], shapeOf: ShapeOf): Price => {
  const shape = shapeOf(kind);
  const keys = sort.map(({ field }) => priceOfField(shape, field, WEIGHTS.sortKey));
  return combined([priceOfPredicate(where, shape, shapeOf), ...keys], Math.min);
};

/**
 * The cost of a query with a price.
 * @param rowsOf returns the number of rows of a kind
 */
export const costOf = (kind: string, price: Price, rowsOf: (kind: string) => number): number => {
  const rows = rowsOf(kind);
  const examined = Math.min(rows, price.reach) * (price.perRow + (price.readsDocument ? WEIGHTS.document : 0));
  return price.inner.reduce((sum, each) => sum + costOf(each.kind, each.price, rowsOf), examined + rows * price.perEveryRow);
};

const priceOfPredicate = (where: Predicate, shape: Shape, shapeOf: ShapeOf): Price => {
  switch (where.op) {
    case 'all':
      return FREE;
    case 'none':
      return { ...FREE, reach: 0 };
    case 'and':
    case 'or': {
      const terms = where.terms.map((term) => priceOfPredicate(term, shape, shapeOf));
      return combined(terms, where.op === 'and' ? Math.min : (...reaches) => reaches.reduce((sum, reach) => sum + reach, 0));
    }
    case 'not':
      return { ...priceOfPredicate(where.term, shape, shapeOf), reach: Infinity };
    case 'isNull':
      return priceOfField(shape, where.field, WEIGHTS.compare);
    case 'compare':
      return where.is === '=' ? priceOfLookup(shape, where.field, 1) : priceOfField(shape, where.field, WEIGHTS.compare);
    case 'in':
      return priceOfLookup(shape, where.field, where.values.length);
    case 'contains':
      return priceOfField(shape, where.field, where.fold ? WEIGHTS.fold : WEIGHTS.contains);
    case 'overlaps':
    case 'covers':
      return { ...FREE, perEveryRow: WEIGHTS.held * Math.min(where.values.length, 2 * ELEMENTS) + WEIGHTS.listed * where.values.length };
    case 'coveredBy':
      return { ...FREE, perRow: WEIGHTS.counted + WEIGHTS.listed * where.values.length };
    case 'some': {
      const { perRow } = priceOfPredicate(where.where, ELEMENT_SHAPE, shapeOf);
      return { ...FREE, perEveryRow: WEIGHTS.held + ELEMENTS * (WEIGHTS.compare + perRow) };
    }
    case 'size': {
      const { of } = where;
      const inner = of ? [{ kind: of.kind, price: priceOfPredicate(of.where, shapeOf(of.kind), shapeOf) }] : [];
      return { ...FREE, perRow: WEIGHTS.counted, inner };
    }
  }
};

/** The element of a set is in a column. */
const ELEMENT_SHAPE: Shape = { column: () => 'plain' };

const priceOfField = (shape: Shape, field: FieldRef, perRow: number): Price =>
  shape.column(field) ? { ...FREE, perRow } : { ...FREE, perRow: perRow + WEIGHTS.inDocument, readsDocument: true };

/** The price of finding the rows in which a field has one of a number of values. */
const priceOfLookup = (shape: Shape, field: FieldRef, values: number): Price => {
  if (shape.column(field) === 'unique') return { ...FREE, perRow: WEIGHTS.lookup, reach: values };
  const price = priceOfField(shape, field, WEIGHTS.compare);
  return { ...price, perRow: price.perRow + WEIGHTS.listed * (values - 1) };
};

const combined = (prices: readonly Price[], reachOf: (...reaches: readonly number[]) => number): Price => ({
  perRow: sum(prices, ({ perRow }) => perRow),
  perEveryRow: sum(prices, ({ perEveryRow }) => perEveryRow),
  reach: reachOf(...prices.map(({ reach }) => reach)),
  readsDocument: prices.some(({ readsDocument }) => readsDocument),
  inner: prices.flatMap(({ inner }) => inner),
});

const sum = (prices: readonly Price[], part: (price: Price) => number): number => prices.reduce((all, price) => all + part(price), 0);
