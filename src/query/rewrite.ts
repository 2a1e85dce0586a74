import { and, not, or, type Predicate } from './predicate.ts';

/** A question in which `leaf` has answered what it can of its parts: every node that joins no others. */
export const rewrite = async (where: Predicate, leaf: (node: Predicate) => Predicate | Promise<Predicate>): Promise<Predicate> => {
  if (where.op === 'not') return not(await rewrite(where.term, leaf));
  if (where.op !== 'and' && where.op !== 'or') return leaf(where);
  const terms = await Promise.all(where.terms.map((term) => rewrite(term, leaf)));
  return (where.op === 'and' ? and : or)(...terms);
};
