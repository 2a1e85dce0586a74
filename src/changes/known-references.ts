/** What is remembered of `Transaction.referenced`, of each value by itself: of two pages that overlap, the second asks for the rest only. */
import type { Read } from '../storage/port.ts';
import type { CachedState } from './cached-state.ts';
import { predicateText } from './predicate-text.ts';
import { dependenciesOf } from './question.ts';
import type { Recollection } from './recollections.ts';
import { referring } from './table-part.ts';

type Referenced = Read & { readonly read: 'referenced' };

/** Values of one question, at most: the answer to a longer one is not remembered. */
const MOST_VALUES = 500;

/**
 * @param revision of the state that the transaction sees
 * @returns undefined if nothing is to be remembered
 */
export const knownReferences = (state: CachedState, asked: Referenced, revision: number): Recollection | undefined => {
  const { kind, field, where } = asked;
  const values = [...new Set(asked.values)];
  if (values.length > MOST_VALUES) return undefined;
  const number = numberOf(`${kind} ${field} ${where ? predicateText(where) : ''}`);
  const [found, rest]: [string[], string[]] = [[], []];
  for (const value of values) {
    const isReferenced = state.find(keyOf(number, value), revision);
    if (isReferenced === undefined) rest.push(value);
    else if (isReferenced) found.push(value);
  }
  if (rest.length === 0) return { value: found, keep: () => undefined };
  const keep = (answer: number | readonly unknown[]) => {
    const referenced = new Set(answer as readonly unknown[]); // of a question of references
    for (const value of rest) {
      const dependsOn = dependenciesOf(kind, referring(field, [value], where));
      if (dependsOn) state.keep(keyOf(number, value), referenced.has(value), revision, dependsOn);
    }
  };
  return { value: undefined, keep, found, rest: { ...asked, values: rest } };
};

const keyOf = (question: number, value: string): string => `referenced ${question} ${value}`;

const MOST_QUESTIONS = 1000;
const numbers = new Map<string, number>();
let last = 0;

/** A short name of a question, for the keys of its many values. No two have ever had the same. */
const numberOf = (question: string): number => {
  const known = numbers.get(question);
  if (known !== undefined) return known;
  if (numbers.size >= MOST_QUESTIONS) numbers.clear();
  numbers.set(question, ++last);
  return last;
};
