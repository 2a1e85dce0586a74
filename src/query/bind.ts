/**
 * Binds a parsed filter to the symbols of a kind: resolves every name to a field, checks the types of every comparison, and returns a
 * two-valued `Predicate`. All checks run before any row is read, so whether a filter is rejected never depends on the data
 * (docs/filters.md).
 */
import { bindField, bindFlag, bindSecret, negate } from './bind-field.ts';
import { bindCount, bindElements, type Counted, size } from './bind-set.ts';
import { bindSort } from './bind-sort.ts';
import { matches } from './evaluate.ts';
import type { Literal } from './literal.ts';
import { findReferences, findSet, findSingle, nameError } from './lookup.ts';
import { parse } from './parse.ts';
import { ALL, and, NONE, or, type Predicate, type SortKey } from './predicate.ts';
import { type Symbols, sharedSymbols } from './symbols.ts';
import type { Comparison, Condition, Filter, Name, SetQuery } from './tree.ts';

/**
 * A filter that a store can evaluate. For parts that the filter does not specify, which are undefined, the parameters of the list apply.
 */
export interface BoundFilter {
  readonly where: Predicate;
  readonly sort: readonly SortKey[] | undefined;
  readonly skip: number | undefined;
  readonly limit: number | 'none' | undefined;
}

/**
 * Parses and binds a filter.
 *
 * @throws FilterError
 * @example readFilter('isAdmin and anyOf(roleAttributes) = "sales"', identitySymbols).where
 */
export const readFilter = (text: string, symbols: Symbols): BoundFilter => bind(parse(text), symbols);

/** @throws FilterError for unknown names, wrong types and sort keys that cannot be sorted by. */
const bind = (filter: Filter, symbols: Symbols): BoundFilter => ({
  where: filter.where === undefined ? ALL : bindCondition(filter.where, symbols),
  sort: filter.sort === undefined ? undefined : bindSort(filter.sort, symbols),
  skip: filter.skip,
  limit: filter.limit,
});

const bindCondition = (condition: Condition, symbols: Symbols): Predicate => {
  switch (condition.is) {
    case 'constant':
      return condition.value ? ALL : NONE;
    case 'flag':
      return bindName(condition.name, symbols);
    case 'not':
      return negate(bindCondition(condition.term, symbols));
    case 'and':
      return and(...condition.terms.map((term) => bindCondition(term, symbols)));
    case 'or':
      return or(...condition.terms.map((term) => bindCondition(term, symbols)));
    case 'empty':
      return unlessWithheld(condition.set.name, symbols, size(countedBy(condition.set, symbols), '=', 0));
    case 'comparison':
      return bindComparison(condition, symbols);
  }
};

const bindName = (name: Name, symbols: Symbols): Predicate => {
  const flag = bindFlag(findSingle(name, symbols));
  if (flag === undefined) throw nameError(name, 'is not boolean, so it is not a condition by itself: compare it with a value');
  return flag;
};

const bindComparison = (comparison: Comparison, symbols: Symbols): Predicate => {
  const { subject } = comparison;
  if (subject.is === 'count') return unlessWithheld(subject.set.name, symbols, bindCount(comparison, countedBy(subject.set, symbols)));
  if (subject.is !== 'field')
    return unlessWithheld(subject.name, symbols, bindElements(comparison, subject.is, findSet(subject.name, symbols).set));
  const symbol = findSingle(subject.name, symbols);
  return symbol.is === 'secret' ? bindSecret(comparison, symbol) : bindField(withoutNumbers(comparison, symbol.numbers), symbol.field);
};

/** Replaces numbers in a comparison with the values that they represent. */
const withoutNumbers = (comparison: Comparison, numbers: Readonly<Record<string, number>> | undefined): Comparison => {
  if (!numbers) return comparison;
  const toValue = (literal: Literal): Literal => {
    if (literal.is !== 'number') return literal;
    const [value] = Object.entries(numbers).find(([, number]) => String(number) === literal.decimal) ?? [];
    return value === undefined ? literal : { is: 'string', value, at: literal.at };
  };
  const [first, ...others] = comparison.values;
  return { ...comparison, values: [toValue(first), ...others.map(toValue)] };
};

/** A condition on a withheld set is evaluated here, as if the set were empty. */
const unlessWithheld = (name: Name, symbols: Symbols, predicate: Predicate): Predicate => {
  const symbol = findSet(name, symbols);
  if (symbol.is !== 'set' || !symbol.withheld) return predicate;
  return matches(predicate, { [symbol.set]: [] }) ? ALL : NONE;
};

const countedBy = ({ name, where }: SetQuery, symbols: Symbols): Counted => {
  if (where === undefined) return { set: findSet(name, symbols).set };
  const { set, target } = findReferences(name, symbols);
  const inner = target();
  const bound = bind(where, sharedSymbols(symbols, inner)); // its sort keys are checked, but do not affect a count
  if (bound.skip !== undefined || bound.limit !== undefined)
    throw nameError(name, "is only counted here: 'skip' and 'limit' are not allowed in 'from ... where'");
  return { set, of: { kind: inner.kind, where: bound.where } };
};
