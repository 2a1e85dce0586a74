/**
 * The order in which every store returns rows (storage port): text by Unicode code point, numbers by value, `false` before `true`, and null
 * before everything. `descending` reverses this order. Ties are broken by `id`, ascending.
 */
import type { SortKey } from './predicate.ts';
import { type Document, reader } from './read.ts';

/** Compares two rows by the keys and then by `id` ascending, for `Array.prototype.sort`. */
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

/**
 * Compares text by code point, which is the order of its UTF-8 bytes. JavaScript's `<` compares UTF-16 units, and therefore sorts U+1F600
 * (encoded as D83D DE00) before U+FF5E.
 */
export const compareText = (a: string, b: string): number => {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left !== right) return rank(left) < rank(right) ? -1 : 1;
  }
  return a.length < b.length ? -1 : 1;
};

/** Moves the units of surrogate pairs (D800 to DFFF) behind the rest of the basic plane (E000 to FFFF), where their code points are. */
const rank = (unit: number): number => {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
};

/** The distinct texts, sorted by code point, as in every list of texts that is returned. */
export const sortedSet = (values: readonly string[]): readonly string[] => [...new Set(values)].sort(compareText);
