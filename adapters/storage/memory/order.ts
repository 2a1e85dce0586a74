/** The order of keys that every store shares: null, then `false`, `true`, then numbers, then text by Unicode code point. */
import { compareText } from '../../../src/adapter-kit.ts';

export type Key = string | number | boolean | null;

export const compareKeys = (a: Key, b: Key): number => {
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  return rank(a) - rank(b) || Number(a) - Number(b);
};

const RANKS = { boolean: 1, number: 2, string: 3 } as const;
const rank = (key: Key): number => (key === null ? 0 : RANKS[typeof key as keyof typeof RANKS]); // the types of a key
