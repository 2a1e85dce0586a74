/** The filter language: parses a client's text into a predicate, and evaluates predicates on rows. */
export { type BoundFilter, readFilter } from './bind.ts';
export { MAX_ALTERNATIVES } from './bind-field.ts';
export { readSort } from './bind-sort.ts';
export { MAX_TERMS } from './cursor.ts';
export { FilterError, SortError } from './errors.ts';
export { compileMatcher, matches } from './evaluate.ts';
export { comparator, compareText, compareValues } from './order.ts';
export { MAX_NESTING, parse } from './parse.ts';
export { MAX_LIST_ITEMS } from './parse-comparison.ts';
export * from './predicate.ts';
export { costOf, type Price, priceOf, type Shape } from './price.ts';
export type { Document } from './read.ts';
export { rewrite } from './rewrite.ts';
export { type FilterSymbol, fieldSymbol, fieldSymbols, type Symbols, symbolsOf } from './symbols.ts';
export { MAX_FILTER_LENGTH } from './tokens.ts';
export { visitReads } from './visit-reads.ts';
