/**
 * The driving table of a query about a set. The table of a set is sorted by value and id, so a scan of one value meets its rows in order of id, and stops
 * when the page is full.
 */
import { and, type Predicate } from '../../../src/adapter-kit.ts';
import type { Layout } from './layout.ts';
import { FEW, type Held } from './sets.ts';

/** Whether the whole predicate is that rows hold one of a few values, or all values of a list. */
export const isListed = (where: Predicate): where is Held =>
  (where.op === 'covers' && where.values.length > 0) || (where.op === 'overlaps' && where.values.length <= FEW);

export interface Start {
  /** The elements to scan. */
  readonly held: Held;
  /** Elements that the same rows must hold as well. */
  readonly alsoHeld: readonly Held[];
  readonly rest: Predicate;
}

/** @returns undefined if no element must be held, or if an id or a unique value finds fewer rows */
export const elementToStartFrom = (layout: Layout, where: Predicate): Start | undefined => {
  const terms = where.op === 'and' ? where.terms : [where];
  if (terms.some((term) => isLookup(layout, term))) return undefined;
  const [held, ...alsoHeld] = terms.filter(mustHold);
  return held && { held, alsoHeld, rest: and(...terms.filter((term) => !mustHold(term))) };
};

const mustHold = (term: Predicate): term is Held =>
  (term.op === 'covers' && term.values.length > 0) || (term.op === 'overlaps' && term.values.length === 1);

const isLookup = (layout: Layout, term: Predicate): boolean => {
  if (!(term.op === 'in' || (term.op === 'compare' && term.is === '=')) || term.field.path.length > 1) return false;
  const [name] = term.field.path;
  return name === 'id' || layout.columns.get(name)?.index === 'unique';
};
