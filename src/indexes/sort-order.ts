import { compareValues, type Ordering, type Scalar } from '../query/index.ts';
import { type BitSet, emptyBitSet, hasBit, setBit } from './bit-set.ts';
import { lowerBound } from './lower-bound.ts';
import type { Numbering } from './numbering.ts';

/** Approximate bytes of a row: its position, and its value. */
const ROW_BYTES = 16;
/** Approximate bytes of a text without its letters. */
const TEXT_BYTES = 24;
/** Maximum number of rows placed in one pass: each pass moves the rows behind them. */
const MAX_UNPLACED = 500;

/** Which part of the rows is asked for. */
export interface OrderedPage {
  readonly descending: boolean;
  readonly offset: number;
  readonly limit: number;
}

/** A bound of values: those that stand to it in an order. */
export interface Bound {
  readonly is: Ordering;
  readonly value: Scalar;
}

/** The rows of a table by the value of one field, and then by id: the order of the storage port. A page of it is a walk that tests one bit per row. */
export class SortOrder {
  readonly #numbering: Numbering;
  /** By number; undefined if there is no such row. */
  readonly #values: unknown[] = [];
  #places = new Uint32Array(MAX_UNPLACED);
  #placed = 0;
  readonly #unplaced = new Set<number>();
  #bytes = 0;

  constructor(numbering: Numbering) {
    this.#numbering = numbering;
  }

  /** Approximate size in memory. */
  get bytes(): number {
    return this.#bytes;
  }

  put(number: number, given: unknown): void {
    const value = given ?? null;
    if (this.#values[number] === value) return;
    this.remove(number);
    this.#values[number] = value;
    this.#bytes += bytesOf(value);
    this.#unplaced.add(number);
    if (this.#unplaced.size >= MAX_UNPLACED) this.#place();
  }

  remove(number: number): void {
    if (this.#values[number] === undefined) return;
    if (!this.#unplaced.delete(number)) {
      const at = this.#placeOf(number, this.#placed);
      this.#places.copyWithin(at, at + 1, this.#placed--);
    }
    this.#bytes -= bytesOf(this.#values[number]);
    this.#values[number] = undefined;
  }

  /**
   * The numbers in a set, in this order; descending, rows of the same value are still in order of id.
   * @param within where all numbers in the set are
   */
  page(bits: BitSet, { descending, offset, limit }: OrderedPage, within: readonly Bound[] = []): readonly number[] {
    const { from, to } = this.#range(within);
    const [places, found]: [Uint32Array, number[]] = [this.#places, []];
    let toPass = offset;
    for (let [end, start] = [to, from]; end > from && found.length < limit; end = start) {
      start = descending ? Math.max(from, this.#startOfSame(end - 1)) : from;
      for (let at = start; at < end; at++) {
        const number = places[at] ?? 0;
        if (!hasBit(bits, number) || toPass-- > 0) continue;
        found.push(number);
        if (found.length === limit) break;
      }
    }
    return found;
  }

  /** The rows within a bound; those without a value are within none. */
  comparing(bound: Bound, width: number): BitSet {
    const { from, to } = this.#range([bound]);
    const [places, bits] = [this.#places, emptyBitSet(width)];
    for (let at = from; at < to; at++) setBit(bits, places[at] ?? 0);
    return bits;
  }

  /** The places of the rows that are within all of some bounds. */
  #range(bounds: readonly Bound[]): { readonly from: number; readonly to: number } {
    this.#place();
    let [from, to] = [0, this.#placed];
    for (const { is, value } of bounds) {
      const first = (isBefore: (order: number) => boolean) =>
        lowerBound(this.#placed, (at) => isBefore(compareValues(this.#valueAt(at), value)));
      const [equal, beyond] = [first((order) => order < 0), first((order) => order <= 0)];
      const isLess = is === '<' || is === '<=';
      from = Math.max(from, isLess ? lowerBound(this.#placed, (at) => this.#valueAt(at) === null) : is === '>' ? beyond : equal);
      if (is !== '>' && is !== '>=') to = Math.min(to, is === '<' ? equal : beyond);
    }
    return { from, to };
  }

  #valueAt(place: number): unknown {
    return this.#values[this.#places[place] ?? 0];
  }

  /** The first of the rows that have the same value as the one at a place. */
  #startOfSame(last: number): number {
    const value = this.#valueAt(last);
    const isLess = (at: number) => compareValues(this.#valueAt(at), value) < 0;
    return last === 0 || isLess(last - 1) ? last : lowerBound(last, isLess);
  }

  /** Moves all behind the first that is to be placed, from the back, each once. */
  #place(): void {
    const unplaced = [...this.#unplaced].sort((a, b) => this.#compare(a, b));
    const size = this.#placed + unplaced.length;
    if (size > this.#places.length) this.#places = enlarged(this.#places, Math.ceil(size * 1.5));
    let end = this.#placed;
    for (let i = unplaced.length - 1; i >= 0; i--) {
      const number = unplaced[i] ?? 0;
      const at = this.#placeOf(number, end);
      this.#places.copyWithin(at + i + 1, at, end);
      this.#places[at + i] = number;
      end = at;
    }
    this.#placed = size;
    this.#unplaced.clear();
  }

  #placeOf(number: number, end: number): number {
    return lowerBound(end, (at) => this.#compare(this.#places[at] ?? 0, number) < 0);
  }

  #compare(a: number, b: number): number {
    return compareValues(this.#values[a], this.#values[b]) || this.#numbering.compare(a, b);
  }
}

const bytesOf = (value: unknown): number => ROW_BYTES + (typeof value === 'string' ? TEXT_BYTES + value.length : 0);

const enlarged = (places: Uint32Array<ArrayBuffer>, length: number): Uint32Array<ArrayBuffer> => {
  const larger = new Uint32Array(length);
  larger.set(places);
  return larger;
};
