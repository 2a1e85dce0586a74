/** What is remembered of `Transaction.referenced`, of each value by itself: of two pages that overlap, the second asks for the rest only. */
import type { Read } from '../storage/port.ts';
import type { CachedState } from './cached-state.ts';
import type { Recollection } from './recollections.ts';
import { partBy, type TablePart } from './table-part.ts';
import { lastChange, TrueSince } from './true-since.ts';

type Referenced = Read & { readonly read: 'referenced' };

/** Values of one question, at most: the answer to a longer one is not remembered. */
const MOST_VALUES = 500;

/** Whether a value is referenced. */
class KnownReference extends TrueSince {
  readonly isReferenced: boolean;

  constructor(isReferenced: boolean, since: number, trueAt: number) {
    super(since, trueAt);
    this.isReferenced = isReferenced;
  }
}

/**
 * @param question what is asked of each value
 * @param isDivided whether the field divides the table into parts, so that only changes to rows with a value end what is known of it
 * @param revision of the state that the transaction sees
 * @returns undefined if nothing is to be remembered
 */
export const knownReferences = (
  state: CachedState,
  asked: Referenced,
  question: string,
  isDivided: boolean,
  revision: number,
): Recollection | undefined => {
  const { kind, field } = asked;
  const values = [...new Set(asked.values)];
  if (values.length > MOST_VALUES) return undefined;
  const number = numberOf(question);
  const partsOf = (value: string): readonly TablePart[] => [isDivided ? partBy(kind, field, value) : kind];
  const [found, rest]: [string[], string[]] = [[], []];
  for (const value of values) {
    const known = state.find(keyOf(number, value), revision) as KnownReference | undefined; // kept below
    if (!known?.isTrue(state, () => partsOf(value))) rest.push(value);
    else if (known.isReferenced) found.push(value);
  }
  if (rest.length === 0) return { value: found, keep: () => undefined };
  const keep = (answer: number | readonly unknown[]) => {
    const referenced = new Set(answer as readonly unknown[]); // of a question of references
    for (const value of rest) {
      const since = lastChange(state, partsOf(value));
      state.keep(keyOf(number, value), new KnownReference(referenced.has(value), since, state.revision), revision, since);
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
