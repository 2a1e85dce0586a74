/**
 * Sets of rows, a bit for each number of a row: those that many rows are in are united, cut and counted thirty-two rows at a step.
 * Reading beyond the end finds nothing, for a set may be older than the last rows.
 */
import { type Tree, walk } from './tree.ts';

export type Bits = Uint32Array;

/** Room for the numbers below `width`. */
export const noBits = (width: number): Bits => new Uint32Array((width + 31) >>> 5);

export const holds = (bits: Bits, number: number): boolean => (((bits[number >>> 5] ?? 0) >>> (number & 31)) & 1) === 1;

export const add = (bits: Bits, number: number): void => {
  bits[number >>> 5] = (bits[number >>> 5] ?? 0) | (1 << (number & 31));
};

export const addAll = (bits: Bits, more: Bits): void => {
  for (let i = 0; i < more.length; i++) bits[i] = (bits[i] ?? 0) | (more[i] ?? 0);
};

/** Those that are in both. */
export const common = (a: Bits, b: Bits): Bits => {
  const both = new Uint32Array(Math.min(a.length, b.length));
  for (let i = 0; i < both.length; i++) both[i] = (a[i] ?? 0) & (b[i] ?? 0);
  return both;
};

export const countOf = (bits: Bits): number => {
  let count = 0;
  for (let rest of bits) {
    // The bits of a word are added up in pairs, in fours, in eights.
    rest -= (rest >>> 1) & 0x55555555;
    rest = (rest & 0x33333333) + ((rest >>> 2) & 0x33333333);
    count += Math.imul((rest + (rest >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return count;
};

/** A tree is never changed, so that its bits stay right for as long as it is there. */
const known = new WeakMap<Tree<number>, Bits>();

/** Whether the bits of a tree are known, so that they cost nothing. */
export const isMarked = (numbers: Tree<number>): boolean => known.has(numbers);

/** The numbers that a tree holds as values. */
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
