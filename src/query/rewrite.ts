import { and, not, or, type Predicate } from './predicate.ts';

/** Replaces each leaf of a predicate, i.e. each node except `and`, `or` and `not`, with the result of `leaf`, and simplifies the result. */
export const rewrite = async (where: Predicate, leaf: (node: Predicate) => Predicate | Promise<Predicate>): Promise<Predicate> => {
  if (where.op === 'not') return not(await rewrite(where.term, leaf));
  if (where.op !== 'and' && where.op !== 'or') return leaf(where);
  const terms = await Promise.all(where.terms.map((term) => rewrite(term, leaf)));
  return (where.op === 'and' ? and : or)(...terms);
};
