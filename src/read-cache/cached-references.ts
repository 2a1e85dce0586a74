/** Caches `Transaction.referenced` value by value, so that the second of two overlapping pages queries only its new values. */
import type { Read } from '../storage/port.ts';
import type { CachedState, CacheSlot } from './cached-state.ts';
import { referencePredicate } from './partition.ts';
import { dependenciesOf, predicateText } from './question.ts';

type Referenced = Read & { readonly read: 'referenced' };

/** Maximum number of values of a query that is cached. */
const MAX_VALUES = 500;

/**
 * @param revision the revision of the transaction's snapshot
 * @returns undefined if the answer must not be cached
 */
export const referencesSlot = (state: CachedState, read: Referenced, revision: number): CacheSlot | undefined => {
  const { kind, field, where } = read;
  const values = [...new Set(read.values)];
  if (values.length > MAX_VALUES) return undefined;
  const number = numberOf(`${kind} ${field} ${where ? predicateText(where) : ''}`);
  const [found, rest]: [string[], string[]] = [[], []];
  for (const value of values) {
    const isReferenced = state.find(keyOf(number, value), revision);
    if (isReferenced === undefined) rest.push(value);
    else if (isReferenced) found.push(value);
  }
  if (rest.length === 0) return { value: found, store: () => undefined };
  const store = (answer: number | readonly unknown[]) => {
    const referenced = new Set(answer as readonly unknown[]); // the answer of `referenced` is a list of values
    for (const value of rest) {
      const dependsOn = dependenciesOf(kind, referencePredicate(field, [value], where));
      if (dependsOn) state.put(keyOf(number, value), referenced.has(value), revision, dependsOn);
    }
  };
  return { value: undefined, store, known: found, rest: { ...read, values: rest } };
};

const keyOf = (question: number, value: string): string => `referenced ${question} ${value}`;

const MAX_QUESTIONS = 1000;
const numbers = new Map<string, number>();
let last = 0;

/** A short unique number for a question, to keep the cache keys of its values short. */
const numberOf = (question: string): number => {
  const known = numbers.get(question);
  if (known !== undefined) return known;
  if (numbers.size >= MAX_QUESTIONS) numbers.clear();
  numbers.set(question, ++last);
  return last;
};
