import type { FieldRef, Predicate } from '../../../src/adapter-kit.ts';
import { compareKeys } from './order.ts';
import type { Bounds } from './tree.ts';

/**
 * Between which keys of a field's index, or of the table itself for the id, all rows stand that satisfy a question: rows at the bounds
 * themselves may not.
 * @returns undefined when the question says nothing of it
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

/** Text comes after numbers, and nothing after text. */
const everyKeyLike = (value: string | number): Bounds => (typeof value === 'string' ? { low: '' } : { low: -Infinity, high: Infinity });

/** The closer bound of two on each side. */
const within = (a: Bounds | undefined, b: Bounds | undefined): Bounds | undefined => {
  if (!a || !b) return a ?? b;
  return { low: closer(a.low, b.low, 1), high: closer(a.high, b.high, -1) };
};

const closer = (a: Bounds['low'], b: Bounds['low'], sign: 1 | -1): Bounds['low'] =>
  a === undefined ? b : b === undefined || compareKeys(a, b) * sign > 0 ? a : b;

/** Text that is held against a number is compared with its digits, which no index has. */
const isKey = ({ type }: FieldRef, value: unknown): value is string | number =>
  type === 'number' ? typeof value === 'number' : (type === 'string' || type === 'date') && typeof value === 'string';
