import type { Page } from '../../contract/api/kit/operation.ts';
import { comparator, compileMatcher, type Document, type Symbols } from '../../query/index.ts';
import type { Call } from '../call.ts';
import { assertAffordableInMemory } from './budget.ts';
import { type ListInput, pageOf, planList } from './lists.ts';

/**
 * A page of items that exist only in memory, filtered and sorted like rows of a store.
 * @throws ApiError if the query is invalid, or costs more than the caller may spend
 */
export const pageInMemory = <T extends Document>(call: Call, symbols: Symbols, input: ListInput, rows: readonly T[]): Page<T> => {
  const plan = planList(symbols, input);
  assertAffordableInMemory(call, input, plan, rows.length);
  const found = rows.filter(compileMatcher(plan.where)).sort(comparator(plan.sort));
  return pageOf(found.slice(plan.offset, plan.offset + plan.limit), plan, found.length, symbols);
};
