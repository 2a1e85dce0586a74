import type { Predicate } from '../query/index.ts';
import type { Query } from '../storage/port.ts';
import type { Question } from './question.ts';
import type { Members } from './table-index.ts';

/** Maximum number of ids in an answer: the largest page, and the candidates of a question that is only half answered. */
const MAX_IDS = 500;

/** The part of an answer that an index finds. */
export interface Indexed {
  /** The number of rows that satisfy all but `rest`. */
  readonly count: number;
  /** The part of the predicate that the index does not evaluate. */
  readonly rest: Predicate;
  /** The ids of the page, in its order; undefined if something is left to ask, if they are too many, or if the index does not know the order. */
  readonly page: readonly string[] | undefined;
  /** The ids of all these rows, in order of id; undefined if they are too many. */
  readonly candidates: readonly string[] | undefined;
}

/** Finds everything immediately, because the next write changes the index. */
export const indexedAnswer = (members: Members, { rest }: Question, { sort = [], offset = 0, limit = Infinity }: Query): Indexed => {
  const { count } = members;
  const [by, ...more] = sort;
  const hasOrder = rest.op === 'all' && more.length === 0 && Math.min(limit, count - offset) <= MAX_IDS;
  const page = hasOrder ? (by ? members.sorted(by, offset, limit) : members.page(offset, limit)) : undefined;
  return { count, rest, page, candidates: page || count > MAX_IDS ? undefined : members.page(0, count) };
};
