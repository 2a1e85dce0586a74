import { compareValues, type Ordering, type Scalar } from '../../query/index.ts';
import { type BitSet, emptyBitSet, hasBit, setBit } from './bit-set.ts';
import { lowerBound } from './lower-bound.ts';
import type { Numbering } from './numbering.ts';

/** Approximate bytes per row, for its position and a reference to its value. */
const ROW_BYTES = 16;
/** Approximate bytes of a text in addition to its characters. */
const TEXT_BYTES = 24;
/** Number of new rows that are collected before they are sorted in together, because each such pass moves existing rows. */
const MAX_PENDING = 500;

/** The direction and the extent of a page. */
export interface OrderedPage {
  readonly descending: boolean;
  readonly offset: number;
  readonly limit: number;
}

/** A comparison with a value. */
export interface Bound {
  readonly is: Ordering;
  readonly value: Scalar;
}

/**
 * The rows of a table in order of one field, then of id, as the storage port specifies. Reading a page is a walk that tests one bit per
 * row.
 */
export class SortOrder {
  readonly #numbering: Numbering;
  /** The value of each row, by row number; undefined if the row does not exist. */
  readonly #values: unknown[] = [];
  #sorted = new Uint32Array(MAX_PENDING);
  #sortedCount = 0;
  readonly #pending = new Set<number>();
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
    this.#pending.add(number);
    if (this.#pending.size >= MAX_PENDING) this.#sortIn();
  }

  remove(number: number): void {
    if (this.#values[number] === undefined) return;
    if (!this.#pending.delete(number)) {
      const at = this.#positionOf(number, this.#sortedCount);
      this.#sorted.copyWithin(at, at + 1, this.#sortedCount--);
    }
    this.#bytes -= bytesOf(this.#values[number]);
    this.#values[number] = undefined;
  }

  /**
   * A page of the numbers in a set, in this order. If it is descending, rows with the same value are still in ascending order of id.
   * @param within bounds that all rows in the set satisfy, which shorten the walk
   */
  page(bits: BitSet, { descending, offset, limit }: OrderedPage, within: readonly Bound[] = []): readonly number[] {
    const { from, to } = this.#range(within);
    const [sorted, found]: [Uint32Array, number[]] = [this.#sorted, []];
    let toSkip = offset;
    for (let [end, start] = [to, from]; end > from && found.length < limit; end = start) {
      start = descending ? Math.max(from, this.#startOfSame(end - 1)) : from;
      for (let at = start; at < end; at++) {
        const number = sorted[at] ?? 0;
        if (!hasBit(bits, number) || toSkip-- > 0) continue;
        found.push(number);
        if (found.length === limit) break;
      }
    }
    return found;
  }

  /** The rows that satisfy a bound. Rows without a value never do. */
  comparing(bound: Bound, width: number): BitSet {
    const { from, to } = this.#range([bound]);
    const [sorted, bits] = [this.#sorted, emptyBitSet(width)];
    for (let at = from; at < to; at++) setBit(bits, sorted[at] ?? 0);
    return bits;
  }

  /** The range of positions of the rows that satisfy all bounds. */
  #range(bounds: readonly Bound[]): { readonly from: number; readonly to: number } {
    this.#sortIn();
    let [from, to] = [0, this.#sortedCount];
    for (const { is, value } of bounds) {
      const first = (isBefore: (order: number) => boolean) =>
        lowerBound(this.#sortedCount, (at) => isBefore(compareValues(this.#valueAt(at), value)));
      const [equal, beyond] = [first((order) => order < 0), first((order) => order <= 0)];
      const isLess = is === '<' || is === '<=';
      from = Math.max(from, isLess ? lowerBound(this.#sortedCount, (at) => this.#valueAt(at) === null) : is === '>' ? beyond : equal);
      if (is !== '>' && is !== '>=') to = Math.min(to, is === '<' ? equal : beyond);
    }
    return { from, to };
  }

  #valueAt(position: number): unknown {
    return this.#values[this.#sorted[position] ?? 0];
  }

  /** The position of the first row that has the same value as the row at `last`. */
  #startOfSame(last: number): number {
    const value = this.#valueAt(last);
    const isLess = (at: number) => compareValues(this.#valueAt(at), value) < 0;
    return last === 0 || isLess(last - 1) ? last : lowerBound(last, isLess);
  }

  /** Merges the pending rows into the sorted ones, from the back, so that each row moves at most once. */
  #sortIn(): void {
    const pending = [...this.#pending].sort((a, b) => this.#compare(a, b));
    const size = this.#sortedCount + pending.length;
    if (size > this.#sorted.length) this.#sorted = enlarged(this.#sorted, Math.ceil(size * 1.5));
    let end = this.#sortedCount;
    for (let i = pending.length - 1; i >= 0; i--) {
      const number = pending[i] ?? 0;
      const at = this.#positionOf(number, end);
      this.#sorted.copyWithin(at + i + 1, at, end);
      this.#sorted[at + i] = number;
      end = at;
    }
    this.#sortedCount = size;
    this.#pending.clear();
  }

  #positionOf(number: number, end: number): number {
    return lowerBound(end, (at) => this.#compare(this.#sorted[at] ?? 0, number) < 0);
  }

  #compare(a: number, b: number): number {
    return compareValues(this.#values[a], this.#values[b]) || this.#numbering.compare(a, b);
  }
}

const bytesOf = (value: unknown): number => ROW_BYTES + (typeof value === 'string' ? TEXT_BYTES + value.length : 0);

const enlarged = (sorted: Uint32Array<ArrayBuffer>, length: number): Uint32Array<ArrayBuffer> => {
  const larger = new Uint32Array(length);
  larger.set(sorted);
  return larger;
};
