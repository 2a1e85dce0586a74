/** Comparisons of sets (docs/filters.md): `anyOf` and `allOf` test the elements, `count` and `isEmpty` their number. */
import { anyAlternative, negate, unnegated } from './bind-field.ts';
import { isValue, type Literal, literalText } from './literal.ts';
import { ALL, and, ELEMENT, NONE, type Ordering, type Predicate } from './predicate.ts';
import type { Comparison } from './tree.ts';
import { checkTypes } from './types.ts';

/**
 * `anyOf`: some element satisfies the comparison. `allOf`: every element does, which is true of the empty set.
 * Both are expressed as "some element does (or does not) satisfy it", or as the complement of that.
 */
export const bindElements = (comparison: Comparison, quantifier: 'anyOf' | 'allOf', set: string): Predicate => {
  checkTypes(comparison, 'string');
  const mustHold = comparison.negated === (quantifier === 'allOf');
  const some = someElement(comparison, set, mustHold);
  return quantifier === 'anyOf' ? some : negate(some);
};

/** Some element satisfies the comparison, ignoring its `negated`; or, unless `mustHold`, does not satisfy it. */
const someElement = (comparison: Comparison, set: string, mustHold: boolean): Predicate => {
  const values = comparison.values.filter(isValue).map(literalText);
  const isNull = values.length === 0;
  // No element is ever null.
  if (isNull) return mustHold ? NONE : { op: 'size', set, is: '>=', value: 1 };
  if (comparison.operator === '=' || comparison.operator === 'in') {
    const distinct = [...new Set(values)];
    return mustHold ? { op: 'overlaps', set, values: distinct } : negate({ op: 'coveredBy', set, values: distinct });
  }
  const holds = unnegated(comparison, ELEMENT);
  return { op: 'some', set, where: mustHold ? holds : negate(holds) };
};

/** A set, or the subset of its elements that are ids of rows of another kind that satisfy a predicate. */
export type Counted = Pick<Extract<Predicate, { op: 'size' }>, 'set' | 'of'>;

/** The predicate of a comparison of the number of elements, which is never null. */
export const bindCount = (comparison: Comparison, counted: Counted): Predicate => {
  checkTypes(comparison, 'count');
  const holds = countHolds(comparison, counted);
  return comparison.negated ? negate(holds) : holds;
};

const countHolds = (comparison: Comparison, counted: Counted): Predicate => {
  const numbers = comparison.values.flatMap(numberIn);
  if (comparison.operator === 'in')
    return anyAlternative(
      comparison,
      numbers.map((number) => size(counted, '=', number)),
    );
  const [first, second = first] = numbers;
  if (first === undefined || second === undefined) return NONE; // null
  if (comparison.operator === 'between') return and(size(counted, '>=', first), size(counted, '<', second));
  return size(counted, comparison.operator as Ordering, first); // `checkTypes` has refused all other operators
};

/**
 * The number to compare with, if any. A string in a list is compared with the text of the number, so only the text of a whole number can
 * match.
 */
const numberIn = (literal: Literal): readonly number[] => {
  if (literal.is === 'number') return [literal.value];
  return literal.is === 'string' && /^(0|[1-9][0-9]*)$/.test(literal.value) ? [Number(literal.value)] : [];
};

/** Maximum number of elements that a store can compare with; no set has more. */
const MAX_SIZE = 2 ** 31 - 1;

/** Compares the number of elements with any value, although stores accept only whole numbers from 0 to `MAX_SIZE`. */
export const size = (counted: Counted, is: Ordering, value: number): Predicate => {
  if (is === '=') return Number.isInteger(value) && value >= 0 && value <= MAX_SIZE ? { op: 'size', ...counted, is, value } : NONE;
  const isUpper = is === '<' || is === '<=';
  const bound = is === '<' || is === '>=' ? Math.ceil(value) : Math.floor(value) + 1; // either `< bound` or `>= bound`
  if (bound <= 0) return isUpper ? NONE : ALL;
  if (bound > MAX_SIZE) return isUpper ? ALL : NONE;
  return { op: 'size', ...counted, is: isUpper ? '<' : '>=', value: bound };
};
