import type { Predicate } from '../query/index.ts';

/** Terms from which on it costs more to write a predicate again than to remember its text. */
const LONG = 8;

/** A predicate as text. The same one is asked for a page and for its total, and may be long. */
export const predicateText = (where: Predicate): string => {
  if (!('terms' in where) || where.terms.length < LONG) return JSON.stringify(where);
  const known = texts.get(where);
  if (known !== undefined) return known;
  const text = JSON.stringify(where);
  texts.set(where, text);
  return text;
};
const texts = new WeakMap<Predicate, string>();
