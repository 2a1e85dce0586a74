/**
 * The semantics of comparisons of single-valued fields (docs/filters.md). With null, every plain comparison is false, and therefore every
 * negated one is true: `!=` is `not =`, and `not in` is `not (in)`.
 */
import { FilterError } from './errors.ts';
import { isValue, literalText, type Value } from './literal.ts';
import {
  and,
  equals,
  type FieldRef,
  type FieldType,
  NONE,
  not,
  type Ordering,
  oneOf,
  or,
  type Predicate,
  type Scalar,
} from './predicate.ts';
import type { SymbolOf } from './symbols.ts';
import type { Comparison } from './tree.ts';
import { checkTypes } from './types.ts';

/** The predicate of a comparison of a field. */
export const bindField = (comparison: Comparison, field: FieldRef): Predicate => {
  checkTypes(comparison, field.type);
  const holds = unnegated(comparison, field);
  return comparison.negated ? negate(holds) : holds;
};

/**
 * The predicate of a comparison of a secret: only equality can match, through `matches`, so that answers reveal nothing about the secret.
 */
export const bindSecret = (comparison: Comparison, { type, matches }: SymbolOf<'secret'>): Predicate => {
  checkTypes(comparison, type);
  const isEquality = comparison.operator === '=' || comparison.operator === 'in';
  const holds =
    isEquality && matches !== undefined
      ? anyAlternative(
          comparison,
          comparison.values.filter(isValue).map((value) => matches(literalText(value))),
        )
      : NONE;
  return comparison.negated ? negate(holds) : holds;
};

/** The predicate of a field that is a condition by itself; undefined if its type does not allow that. */
export const bindFlag = (symbol: SymbolOf<'field' | 'secret'>): Predicate | undefined => {
  const type = symbol.is === 'secret' ? symbol.type : symbol.field.type;
  if (type !== 'boolean' && type !== 'tag') return undefined;
  return symbol.is === 'secret' ? NONE : equals(symbol.field, true);
};

/** Maximum number of list values that each become a separate condition: databases limit the depth of expressions. */
export const MAX_ALTERNATIVES = 100;

/**
 * At least one of the alternatives.
 * @throws FilterError if there are more than `MAX_ALTERNATIVES`
 */
export const anyAlternative = ({ operator, at }: Comparison, alternatives: readonly Predicate[]): Predicate => {
  if (alternatives.length <= MAX_ALTERNATIVES) return or(...alternatives);
  throw new FilterError(`a list of more than ${MAX_ALTERNATIVES} values cannot follow this '${operator}'`, at + 1);
};

/** The complement, without double negation. */
export const negate = (predicate: Predicate): Predicate => (predicate.op === 'not' ? predicate.term : not(predicate));

/** The predicate of a comparison, ignoring its `negated`. Its types must have been checked. */
export const unnegated = ({ operator, values }: Comparison, field: FieldRef): Predicate => {
  const [first, second = first] = values; // only `between` uses the second one
  if (!isValue(first) || !isValue(second)) return { op: 'isNull', field };
  switch (operator) {
    case 'contains':
    case 'icontains':
      return { op: 'contains', field, value: literalText(first), fold: operator === 'icontains' };
    case 'in':
      return oneOf(field, [...new Set(values.filter(isValue).flatMap((value) => scalars(value, field.type)))]);
    case 'between':
      return and(compare(field, '>=', first), compare(field, '<', second));
    default:
      return compare(field, operator, first);
  }
};

const compare = (field: FieldRef, is: Ordering, literal: Value): Predicate => {
  // As a boolean, null is false.
  if (literal.is === 'boolean' && !literal.value) return or(equals(field, false), { op: 'isNull', field });
  const [value] = scalars(literal, field.type);
  return value === undefined ? NONE : { op: 'compare', field, is, value };
};

/** The literal as a value of the field's type; empty if no value of the field can equal it. */
const scalars = (literal: Value, type: FieldType): readonly Scalar[] => {
  if (literal.is === 'date' && type === 'tag') return []; // tags cannot be dates
  return [type === 'string' ? literalText(literal) : literal.value];
};
