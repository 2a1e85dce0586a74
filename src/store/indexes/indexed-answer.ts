import type { Predicate } from '../../query/index.ts';
import type { Query } from '../storage/port.ts';
import type { SplitPredicate } from './split-predicate.ts';
import type { Members } from './table-index.ts';

/** Maximum number of ids in an answer, both for a page and for the candidates if the index evaluates only part of the predicate. */
const MAX_IDS = 500;

/** The part of an answer that an index provides. */
export interface Indexed {
  /** The number of rows that satisfy the predicate without `rest`. */
  readonly count: number;
  /** The part of the predicate that the index does not evaluate. */
  readonly rest: Predicate;
  /**
   * The ids of the page, in order. Undefined if `rest` is still to be evaluated, if the page is too long, or if the index does not have the
   * order.
   */
  readonly page: readonly string[] | undefined;
  /** The ids of all counted rows, in order of id. Undefined if they are too many, or if there is a page. */
  readonly candidates: readonly string[] | undefined;
}

/** Computes the whole answer immediately, because the next write changes the index. */
export const indexedAnswer = (members: Members, { rest }: SplitPredicate, { sort = [], offset = 0, limit = Infinity }: Query): Indexed => {
  const { count } = members;
  const [by, ...more] = sort;
  const hasOrder = rest.op === 'all' && more.length === 0 && Math.min(limit, count - offset) <= MAX_IDS;
  const page = hasOrder ? (by ? members.sorted(by, offset, limit) : members.page(offset, limit)) : undefined;
  return { count, rest, page, candidates: page || count > MAX_IDS ? undefined : members.page(0, count) };
};
