import type { FieldRef, Predicate } from '../../../src/adapter-kit.ts';
import { compareKeys } from './order.ts';
import type { Bounds } from './tree.ts';

/**
 * A range of keys, in the index of a field or (for the id) in the table itself, that contains all rows that satisfy a predicate. Rows at the bounds
 * themselves may not satisfy it.
 * @returns undefined if the predicate does not restrict the field
 */
export const boundsOf = (where: Predicate, field: FieldRef): Bounds | undefined => {
  if (where.op === 'and') return where.terms.map((term) => boundsOf(term, field)).reduce(within, undefined);
  if (where.op !== 'compare' || where.field.path.join() !== field.path.join() || !isKey(where.field, where.value)) return undefined;
  const { is, value } = where;
  return is === '='
    ? { low: value, high: value }
    : is.startsWith('>')
      ? { ...everyKeyLike(value), low: value }
      : { ...everyKeyLike(value), high: value };
};

/** The range of all keys that have the type of a value. Text has no upper bound, because it sorts last. */
const everyKeyLike = (value: string | number): Bounds => (typeof value === 'string' ? { low: '' } : { low: -Infinity, high: Infinity });

/** The intersection of two ranges. */
const within = (a: Bounds | undefined, b: Bounds | undefined): Bounds | undefined => {
  if (!a || !b) return a ?? b;
  return { low: closer(a.low, b.low, 1), high: closer(a.high, b.high, -1) };
};

const closer = (a: Bounds['low'], b: Bounds['low'], sign: 1 | -1): Bounds['low'] =>
  a === undefined ? b : b === undefined || compareKeys(a, b) * sign > 0 ? a : b;

/** True if an index can find the value. It cannot find a number by text, which is compared with the number's decimal text. */
const isKey = ({ type }: FieldRef, value: unknown): value is string | number =>
  type === 'number' ? typeof value === 'number' : (type === 'string' || type === 'date') && typeof value === 'string';
