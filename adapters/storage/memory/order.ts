/** The order of keys that every store shares: null, then `false`, `true`, then numbers, then text by Unicode code point. */
import { compareText } from '../../../src/adapter-kit.ts';

export type Key = string | number | boolean | null;

export const compareKeys = (a: Key, b: Key): number => {
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  return rank(a) - rank(b) || Number(a) - Number(b);
};

const rank = (key: Key): number => (key === null ? 0 : typeof key === 'boolean' ? 1 : typeof key === 'number' ? 2 : 3);
