import type { FieldRef, Predicate } from '../../../src/adapter-kit.ts';
import { compareKeys } from './order.ts';
import type { Bounds } from './tree.ts';

/**
 * The range of keys, in the index of a field (or in the table itself if the field is the id), of all rows that satisfy a predicate. The
 * range includes both bounds, even if the comparison is strict.
 * @returns undefined if the predicate does not restrict the field
 */
export const boundsOf = (where: Predicate, field: FieldRef): Bounds | undefined => {
  if (where.op === 'and') return where.terms.map((term) => boundsOf(term, field)).reduce(intersection, undefined);
  if (where.op !== 'compare' || where.field.path.join() !== field.path.join() || !isKey(where.field, where.value)) return undefined;
  const { is, value } = where;
  if (is === '=') return { low: value, high: value };
  return { ...allKeysOfType(value), ...(is.startsWith('>') ? { low: value } : { high: value }) };
};

/** The range of all keys of a value's type: text sorts last, after numbers. */
const allKeysOfType = (value: string | number): Bounds => (typeof value === 'string' ? { low: '' } : { low: -Infinity, high: Infinity });

/** The intersection of two ranges; undefined means unrestricted. */
const intersection = (a: Bounds | undefined, b: Bounds | undefined): Bounds | undefined => {
  if (!a || !b) return a ?? b;
  return { low: tighter(a.low, b.low, 1), high: tighter(a.high, b.high, -1) };
};

/** @param sign 1 for the greater of two lower bounds, -1 for the smaller of two upper bounds */
const tighter = (a: Bounds['low'], b: Bounds['low'], sign: 1 | -1): Bounds['low'] => {
  if (a === undefined || b === undefined) return a ?? b;
  return compareKeys(a, b) * sign > 0 ? a : b;
};

/** True if an index can find the value. A number field that is compared with text is compared by its decimal text, which is not indexed. */
const isKey = ({ type }: FieldRef, value: unknown): value is string | number =>
  type === 'number' ? typeof value === 'number' : (type === 'string' || type === 'date') && typeof value === 'string';
