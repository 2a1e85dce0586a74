/**
 * The order of rows that every store keeps (storage port): text by Unicode code point, numbers by value, `false` before
 * `true`, null before everything; `descending` reverses all of it; at last by `id`.
 */
import { compareText } from './compare-text.ts';
import type { SortKey } from './predicate.ts';
import { type Document, reader } from './read.ts';

/** Compares two rows by the keys and then by `id` ascending, as `Array.prototype.sort` wants it. */
export const comparator = (sort: readonly SortKey[]): ((a: Document, b: Document) => number) => {
  const keys = sort.map(({ field, descending }) => ({ read: reader(field), sign: descending ? -1 : 1 }));
  return (a, b) => {
    for (const { read, sign } of keys) {
      const order = compareValues(read(a), read(b));
      if (order !== 0) return sign * order;
    }
    return compareValues(a.id, b.id);
  };
};

/** Compares two values of one field, in ascending order. */
export const compareValues = (a: unknown, b: unknown): number => {
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  const isNull = a === null || a === undefined;
  const isOtherNull = b === null || b === undefined;
  if (isNull || isOtherNull) return Number(isOtherNull) - Number(isNull);
  return Number(a > b) - Number(a < b); // a field's values have one type: both numbers or both booleans here
};
