/** Caches `Transaction.referenced` for each value, so that the second of two overlapping pages queries only its new values. */
import type { Read } from '../storage/port.ts';
import { dependenciesOf, predicateText } from './cacheable-query.ts';
import type { CacheSlot, EntryCache } from './cached-state.ts';
import { referencePredicate } from './partition.ts';

type Referenced = Read & { readonly read: 'referenced' };

/** Maximum number of values of a query that is cached. */
const MAX_VALUES = 500;

/**
 * @param revision the revision of the transaction's snapshot
 * @returns undefined if the answer must not be cached
 */
export const findReferencesSlot = (entries: EntryCache, read: Referenced, revision: number): CacheSlot | undefined => {
  const { kind, field, where } = read;
  const values = [...new Set(read.values)];
  if (values.length > MAX_VALUES) return undefined;
  const number = numberOf(`${kind} ${field} ${where ? predicateText(where) : ''}`);
  const cached: string[] = [];
  const missing: string[] = [];
  for (const value of values) {
    const isReferenced = entries.find(keyOf(number, value), revision);
    if (isReferenced === undefined) missing.push(value);
    else if (isReferenced) cached.push(value);
  }
  if (missing.length === 0) return { value: cached, store: () => undefined };
  const store = (answer: number | readonly unknown[]) => {
    const referenced = new Set(answer as readonly unknown[]); // the answer of `referenced` is a list of values
    for (const value of missing) {
      const dependsOn = dependenciesOf(kind, referencePredicate(field, [value], where));
      if (dependsOn) entries.put(keyOf(number, value), referenced.has(value), revision, dependsOn);
    }
  };
  return { value: undefined, store, cached, missing: { ...read, values: missing } };
};

const keyOf = (query: number, value: string): string => `referenced ${query} ${value}`;

/** Maximum number of queries whose numbers are remembered. */
const MAX_QUERIES = 1000;
const numbers = new Map<string, number>();
let lastNumber = 0;

/** Assigns a unique number to a query, to keep the cache keys of its values short. */
const numberOf = (query: string): number => {
  const existing = numbers.get(query);
  if (existing !== undefined) return existing;
  if (numbers.size >= MAX_QUERIES) numbers.clear();
  numbers.set(query, ++lastNumber);
  return lastNumber;
};
