/**
 * Sets of small integers with one bit per element, which are combined and counted 32 elements at a time. Elements beyond the end count as
 * absent.
 */

export type BitSet = Uint32Array<ArrayBuffer>;

/** An empty set that can hold numbers less than `width`. */
export const emptyBitSet = (width: number): BitSet => new Uint32Array((width + 31) >>> 5);

export const hasBit = (bits: BitSet, number: number): boolean => (((bits[number >>> 5] ?? 0) >>> (number & 31)) & 1) === 1;

/** Adds an element, which must be less than the width. */
export const setBit = (bits: BitSet, number: number): void => {
  bits[number >>> 5] = (bits[number >>> 5] ?? 0) | (1 << (number & 31));
};

export const clearBit = (bits: BitSet, number: number): void => {
  bits[number >>> 5] = (bits[number >>> 5] ?? 0) & ~(1 << (number & 31));
};

/** Union: adds the elements of another set, which must not be wider. */
export const uniteBits = (bits: BitSet, more: BitSet): void => {
  const words = Math.min(bits.length, more.length);
  for (let i = 0; i < words; i++) bits[i] = (bits[i] ?? 0) | (more[i] ?? 0);
};

/** Adds the intersection of two other sets, which must not be wider. */
export const uniteCommonBits = (bits: BitSet, a: BitSet, b: BitSet): void => {
  const words = Math.min(bits.length, a.length, b.length);
  for (let i = 0; i < words; i++) bits[i] = (bits[i] ?? 0) | ((a[i] ?? 0) & (b[i] ?? 0));
};

/** Intersection: keeps only the elements that another set contains, too. */
export const intersectBits = (bits: BitSet, other: BitSet): void => {
  for (let i = 0; i < bits.length; i++) bits[i] = (bits[i] ?? 0) & (other[i] ?? 0);
};

/** Difference: removes the elements of another set. */
export const subtractBits = (bits: BitSet, other: BitSet): void => {
  const words = Math.min(bits.length, other.length);
  for (let i = 0; i < words; i++) bits[i] = (bits[i] ?? 0) & ~(other[i] ?? 0);
};

export const countBits = (bits: BitSet): number => {
  let count = 0;
  for (let i = 0; i < bits.length; i++) count += countInWord(bits[i] ?? 0);
  return count;
};

/** The number of set bits in a word (population count): sums them in pairs, fours and eights. */
const countInWord = (word: number): number => {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
};

/** The smallest element greater than or equal to `from`; -1 if none exists. */
export const nextBit = (bits: BitSet, from: number): number => {
  let word = from >>> 5;
  let rest = (bits[word] ?? 0) & (-1 << (from & 31));
  while (rest === 0) {
    if (++word >= bits.length) return -1;
    rest = bits[word] ?? 0;
  }
  return word * 32 + 31 - Math.clz32(rest & -rest);
};

/** The element at a position: the one with `position` smaller elements; -1 if none exists. */
export const bitAt = (bits: BitSet, position: number): number => {
  let toSkip = position;
  for (let i = 0; i < bits.length; i++) {
    const count = countInWord(bits[i] ?? 0);
    if (count > toSkip) {
      let bit = nextBit(bits, i * 32);
      while (toSkip-- > 0) bit = nextBit(bits, bit + 1);
      return bit;
    }
    toSkip -= count;
  }
  return -1;
};
