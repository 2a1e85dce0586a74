/**
 * Chooses the join order for conditions that require a row's set to contain several values. The planner knows only the average number of
 * rows per value, so the store counts the rows of each value first. If one value is rare, its rows are looked up in the lists of the
 * others; if all are common, their sorted lists are merged.
 */
import { and, has, type Predicate } from '../../../src/adapter-kit.ts';
import type { SetCondition } from './sets.ts';

/**
 * A value is common if at least this many rows contain it. Looking up a row in another list costs as much as reading about ten rows of a
 * list.
 */
export const MIN_COMMON_SIZE = 200;

/** The number of rows that contain a value, counted up to `MIN_COMMON_SIZE`. */
export type Sizes = (set: string, value: string) => number;

/** The values, by set, whose order affects the cost of the predicate. */
export const valuesToArrange = (where: Predicate): ReadonlyMap<string, ReadonlySet<string>> => {
  const bySet = Map.groupBy(allRequired(where), ({ set }) => set);
  return new Map([...bySet].map(([set, required]) => [set, new Set(required.flatMap(({ values }) => values))]));
};

/** The sets of which a term, or a term within it, requires several values. */
const allRequired = (term: Predicate): readonly RequiredValues[] => {
  const several = severalRequired(term);
  if (several.length > 0) return several;
  return term.op === 'and' || term.op === 'or' ? term.terms.flatMap(allRequired) : [];
};

/** Returns an equivalent predicate in the best order. An `and` of single values makes the store merge their lists. */
export const arrange = (where: Predicate, sizes: Sizes): Predicate => {
  const several = severalRequired(where);
  if (several.length > 0) return and(...several.map((required) => inOrder(required, sizes)), ...otherTerms(where));
  if (where.op !== 'and' && where.op !== 'or') return where;
  return { op: where.op, terms: where.terms.map((term) => arrange(term, sizes)) };
};

type RequiredValues = Pick<SetCondition, 'set' | 'values'>;

/** The values, by set, that a term (or the terms of an `and` together) require; empty if no set requires more than one. */
const severalRequired = (term: Predicate): readonly RequiredValues[] => {
  const terms = term.op === 'and' ? term.terms : [term];
  const bySet = Map.groupBy(terms.filter(isCovers), ({ set }) => set);
  const all = [...bySet].map(([set, conditions]) => ({ set, values: [...new Set(conditions.flatMap(({ values }) => values))] }));
  return all.some(({ values }) => values.length > 1) ? all : [];
};

const isCovers = (term: Predicate): term is SetCondition => term.op === 'covers';

const otherTerms = (where: Predicate): readonly Predicate[] => (where.op === 'and' ? where.terms.filter(({ op }) => op !== 'covers') : []);

const inOrder = ({ set, values }: RequiredValues, sizes: Sizes): Predicate => {
  const bySize = values.map((value) => ({ value, size: sizes(set, value) })).sort((a, b) => a.size - b.size);
  const sorted = bySize.map(({ value }) => value);
  const isRare = bySize.some(({ size }) => size < MIN_COMMON_SIZE);
  return isRare ? { op: 'covers', set, values: sorted } : and(...sorted.map((value) => has(set, value)));
};
