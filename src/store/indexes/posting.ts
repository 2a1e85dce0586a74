import {
  type BitSet,
  clearBit,
  emptyBitSet,
  hasBit,
  intersectBits,
  nextBit,
  setBit,
  subtractBits,
  uniteBits,
  uniteCommonBits,
} from './bit-set.ts';
import { lowerBound } from './lower-bound.ts';

/** Approximate bytes of a posting without its elements. */
const OVERHEAD_BYTES = 150;
const MIN_CAPACITY = 4;

/**
 * The numbers of the rows that contain a value. A sorted list while they are few, so that thousands of rare values take little memory; a
 * bit set once that is smaller.
 */
export class Posting {
  #size = 0;
  #list: Uint32Array<ArrayBuffer> | undefined = new Uint32Array(MIN_CAPACITY);
  #bits: BitSet = new Uint32Array(0);

  get size(): number {
    return this.#size;
  }

  /** Approximate size in memory. */
  get bytes(): number {
    return OVERHEAD_BYTES + (this.#list ?? this.#bits).byteLength;
  }

  /** @param width greater than the number of any row */
  add(number: number, width: number): void {
    if (this.#list) this.#insert(this.#list, number);
    else this.#set(number, width);
    if (this.#list && this.#size * 32 > width) this.#toBits(this.#list, width);
  }

  remove(number: number): void {
    if (this.#list) {
      const at = positionOf(this.#list, this.#size, number);
      if (at === this.#size || this.#list[at] !== number) return;
      this.#list.copyWithin(at, at + 1, this.#size--);
    } else if (hasBit(this.#bits, number)) {
      clearBit(this.#bits, number);
      this.#size--;
    }
  }

  /** Adds the numbers of this posting to a set. */
  uniteInto(bits: BitSet): void {
    if (!this.#list) uniteBits(bits, this.#bits);
    else for (let i = 0; i < this.#size; i++) setBit(bits, this.#list[i] ?? 0);
  }

  forEach(visit: (number: number) => void): void {
    if (this.#list) for (let i = 0; i < this.#size; i++) visit(this.#list[i] ?? 0);
    else for (let number = nextBit(this.#bits, 0); number !== -1; number = nextBit(this.#bits, number + 1)) visit(number);
  }

  has(number: number): boolean {
    if (!this.#list) return hasBit(this.#bits, number);
    const at = positionOf(this.#list, this.#size, number);
    return at < this.#size && this.#list[at] === number;
  }

  /** Adds to a set the numbers that this posting and another one have in common. */
  uniteCommonInto(bits: BitSet, other: Posting): void {
    if (this.#list) {
      for (let i = 0; i < this.#size; i++) if (other.has(this.#list[i] ?? 0)) setBit(bits, this.#list[i] ?? 0);
    } else if (other.#list) other.uniteCommonInto(bits, this);
    else uniteCommonBits(bits, this.#bits, other.#bits);
  }

  /** Removes all numbers from a set except those of this posting. */
  intersectInto(bits: BitSet): void {
    if (!this.#list) return void intersectBits(bits, this.#bits);
    const common = this.#list.subarray(0, this.#size).filter((number) => hasBit(bits, number));
    bits.fill(0);
    for (const number of common) setBit(bits, number);
  }

  /** Removes the numbers of this posting from a set. */
  subtractFrom(bits: BitSet): void {
    if (!this.#list) subtractBits(bits, this.#bits);
    else for (let i = 0; i < this.#size; i++) clearBit(bits, this.#list[i] ?? 0);
  }

  #insert(list: Uint32Array<ArrayBuffer>, number: number): void {
    const at = positionOf(list, this.#size, number);
    if (at < this.#size && list[at] === number) return;
    const target = this.#size < list.length ? list : grown(list, list.length * 2);
    target.copyWithin(at + 1, at, this.#size++);
    target[at] = number;
    this.#list = target;
  }

  #set(number: number, width: number): void {
    if (hasBit(this.#bits, number)) return;
    // Allocates half as much again as needed, because rows are added one by one.
    if (number >>> 5 >= this.#bits.length) this.#bits = grown(this.#bits, Math.ceil((width * 1.5) / 32));
    setBit(this.#bits, number);
    this.#size++;
  }

  #toBits(list: Uint32Array, width: number): void {
    const bits = emptyBitSet(width);
    for (let i = 0; i < this.#size; i++) setBit(bits, list[i] ?? 0);
    this.#bits = bits;
    this.#list = undefined;
  }
}

const grown = (array: Uint32Array<ArrayBuffer>, length: number): Uint32Array<ArrayBuffer> => {
  const longer = new Uint32Array(length);
  longer.set(array);
  return longer;
};

/** The position of a number in the first `size` elements, or the one at which it would be inserted. */
const positionOf = (list: Uint32Array, size: number, number: number): number => {
  // Fast path: rows mostly arrive in order.
  if (size === 0 || (list[size - 1] ?? 0) < number) return size;
  return lowerBound(size, (at) => (list[at] ?? 0) < number);
};
