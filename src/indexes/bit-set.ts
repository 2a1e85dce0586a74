/** Sets of small numbers with one bit each: united, intersected and counted 32 numbers at a time. Beyond its end, a bit set holds nothing. */

export type BitSet = Uint32Array<ArrayBuffer>;

/** Without elements, for numbers below `width`. */
export const emptyBitSet = (width: number): BitSet => new Uint32Array((width + 31) >>> 5);

export const hasBit = (bits: BitSet, number: number): boolean => (((bits[number >>> 5] ?? 0) >>> (number & 31)) & 1) === 1;

/** `number` must be below the width. */
export const setBit = (bits: BitSet, number: number): void => {
  bits[number >>> 5] = (bits[number >>> 5] ?? 0) | (1 << (number & 31));
};

export const clearBit = (bits: BitSet, number: number): void => {
  bits[number >>> 5] = (bits[number >>> 5] ?? 0) & ~(1 << (number & 31));
};

/** Adds what another set holds, which is not wider. */
export const uniteBits = (bits: BitSet, more: BitSet): void => {
  const words = Math.min(bits.length, more.length);
  for (let i = 0; i < words; i++) bits[i] = (bits[i] ?? 0) | (more[i] ?? 0);
};

/** Adds what two other sets share, which are not wider. */
export const uniteCommonBits = (bits: BitSet, a: BitSet, b: BitSet): void => {
  const words = Math.min(bits.length, a.length, b.length);
  for (let i = 0; i < words; i++) bits[i] = (bits[i] ?? 0) | ((a[i] ?? 0) & (b[i] ?? 0));
};

/** Keeps only what another set holds, too. */
export const intersectBits = (bits: BitSet, other: BitSet): void => {
  for (let i = 0; i < bits.length; i++) bits[i] = (bits[i] ?? 0) & (other[i] ?? 0);
};

/** Removes what another set holds. */
export const subtractBits = (bits: BitSet, other: BitSet): void => {
  const words = Math.min(bits.length, other.length);
  for (let i = 0; i < words; i++) bits[i] = (bits[i] ?? 0) & ~(other[i] ?? 0);
};

export const countBits = (bits: BitSet): number => {
  let count = 0;
  for (let i = 0; i < bits.length; i++) count += countInWord(bits[i] ?? 0);
  return count;
};

/** The population count of a word: adds its bits in pairs, fours and eights. */
const countInWord = (word: number): number => {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
};

/** The least element that is not below `from`; -1 if there is none. */
export const nextBit = (bits: BitSet, from: number): number => {
  let word = from >>> 5;
  let rest = (bits[word] ?? 0) & (-1 << (from & 31));
  while (rest === 0) {
    if (++word >= bits.length) return -1;
    rest = bits[word] ?? 0;
  }
  return word * 32 + 31 - Math.clz32(rest & -rest);
};

/** The element before which there are so many others; -1 if there is none. */
export const bitAfter = (bits: BitSet, others: number): number => {
  let left = others;
  for (let i = 0; i < bits.length; i++) {
    const count = countInWord(bits[i] ?? 0);
    if (count > left) {
      let bit = nextBit(bits, i * 32);
      while (left-- > 0) bit = nextBit(bits, bit + 1);
      return bit;
    }
    left -= count;
  }
  return -1;
};
