/** Caches `Transaction.referenced` value by value: the second of two overlapping pages asks for its new values only. */
import type { Read } from '../storage/port.ts';
import type { CachedState, CacheSlot } from './cached-state.ts';
import { referencePredicate } from './partition.ts';
import { dependenciesOf, predicateText } from './question.ts';

type Referenced = Read & { readonly read: 'referenced' };

/** Maximum number of values of a cached query. */
const MAX_VALUES = 500;

/**
 * @param revision of the snapshot of the transaction
 * @returns undefined if the answer must not be cached
 */
export const knownReferences = (state: CachedState, asked: Referenced, revision: number): CacheSlot | undefined => {
  const { kind, field, where } = asked;
  const values = [...new Set(asked.values)];
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
    const referenced = new Set(answer as readonly unknown[]); // of a question of references
    for (const value of rest) {
      const dependsOn = dependenciesOf(kind, referencePredicate(field, [value], where));
      if (dependsOn) state.put(keyOf(number, value), referenced.has(value), revision, dependsOn);
    }
  };
  return { value: undefined, store, known: found, rest: { ...asked, values: rest } };
};

const keyOf = (question: number, value: string): string => `referenced ${question} ${value}`;

const MAX_QUESTIONS = 1000;
const numbers = new Map<string, number>();
let last = 0;

/** A short unique name of a question, for the keys of its values. */
const numberOf = (question: string): number => {
  const known = numbers.get(question);
  if (known !== undefined) return known;
  if (numbers.size >= MAX_QUESTIONS) numbers.clear();
  numbers.set(question, ++last);
  return last;
};
