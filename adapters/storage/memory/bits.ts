/**
 * Bitmaps of rows, with one bit per row number: large sets are united, intersected and ofCount 32 rows at a time.
 * Reading beyond the end gives 0, because a bitmap may be older than the last rows.
 */
import { type Tree, walk } from './tree.ts';

export type Bits = Uint32Array;

/** An empty bitmap for the numbers below `width`. */
export const noBits = (width: number): Bits => new Uint32Array((width + 31) >>> 5);

export const holds = (bits: Bits, number: number): boolean => (((bits[number >>> 5] ?? 0) >>> (number & 31)) & 1) === 1;

export const add = (bits: Bits, number: number): void => {
  bits[number >>> 5] = (bits[number >>> 5] ?? 0) | (1 << (number & 31));
};

export const addAll = (bits: Bits, more: Bits): void => {
  for (let i = 0; i < more.length; i++) bits[i] = (bits[i] ?? 0) | (more[i] ?? 0);
};

/** The intersection of two bitmaps. */
export const common = (a: Bits, b: Bits): Bits => {
  const both = new Uint32Array(Math.min(a.length, b.length));
  for (let i = 0; i < both.length; i++) both[i] = (a[i] ?? 0) & (b[i] ?? 0);
  return both;
};

export const countOf = (bits: Bits): number => {
  let count = 0;
  for (let rest of bits) {
    // The population count of a word: adds its bits in pairs, fours and eights.
    rest -= (rest >>> 1) & 0x55555555;
    rest = (rest & 0x33333333) + ((rest >>> 2) & 0x33333333);
    count += Math.imul((rest + (rest >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return count;
};

/** The bitmaps of trees, which stay valid because trees are immutable. */
const known = new WeakMap<Tree<number>, Bits>();

/** Whether the bitmap of a tree is cached. */
export const hasBits = (numbers: Tree<number>): boolean => known.has(numbers);

/** The bitmap of the numbers in a tree. */
export const bitsOf = (numbers: Tree<number>, width: number): Bits => {
  let bits = known.get(numbers);
  if (!bits) {
    const made = noBits(width);
    walk(numbers, (number) => {
      add(made, number);
      return true;
    });
    bits = made;
    known.set(numbers, bits);
  }
  return bits;
};
