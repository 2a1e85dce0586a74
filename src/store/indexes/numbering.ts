import { compareText } from '../../query/index.ts';
import { type BitSet, bitAt, hasBit, nextBit } from './bit-set.ts';
import { lowerBound } from './lower-bound.ts';

/** Approximate bytes per id for its entries in lists, in addition to its text. */
const ID_BYTES = 24;
/** Approximate bytes per later id, which also has an entry in a map, in addition to its text. */
const LATER_BYTES = 72;
/** Number of later ids that never makes renumbering necessary, however small the table is. */
const MAX_LATER = 1024;

/**
 * Assigns a number to each id of a table. The first ids arrive in order and get ascending numbers, so that reading a page is a walk over
 * bits. Later ids get higher numbers, which a separate list keeps in order of id.
 */
export class Numbering {
  readonly #first: string[] = [];
  readonly #later: string[] = [];
  readonly #numbers = new Map<string, number>();
  /** The numbers of later ids, in order of id. */
  readonly #laterInOrder: number[] = [];
  #bytes = 0;

  /** One more than the greatest number. */
  get width(): number {
    return this.#first.length + this.#later.length;
  }

  /** Approximate size in memory. */
  get bytes(): number {
    return this.#bytes;
  }

  /** True if there are so many later ids that the table should be renumbered. */
  get needsRebuild(): boolean {
    return this.#later.length > Math.max(MAX_LATER, this.#first.length / 2);
  }

  numberOf(id: string): number | undefined {
    const position = lowerBound(this.#first.length, (at) => compareText(this.#first[at] ?? '', id) < 0);
    return this.#first[position] === id ? position : this.#numbers.get(id);
  }

  /** The number of an id. Assigns one if the id is new. */
  assign(id: string): number {
    return this.numberOf(id) ?? (this.#isNext(id) ? this.#append(id) : this.#addLater(id));
  }

  /** Compares two numbers by their ids. */
  compare(a: number, b: number): number {
    const areFirst = a < this.#first.length && b < this.#first.length;
    return areFirst ? a - b : compareText(this.idOf(a), this.idOf(b));
  }

  /** The id of a number; empty if the number is not assigned. */
  idOf(number: number): string {
    return this.#first[number] ?? this.#later[number - this.#first.length] ?? '';
  }

  /** The ids of the numbers in a set, in order of id. */
  page(bits: BitSet, offset: number, limit: number): readonly string[] {
    const ids: string[] = [];
    if (limit <= 0) return ids;
    const later = this.#laterInOrder.filter((number) => hasBit(bits, number));
    // Without later ids, `bitAt` skips the rows before the page a word at a time.
    const first = later.length === 0 ? bitAt(bits, offset) : 0;
    let toSkip = later.length === 0 ? 0 : offset;
    for (const number of first === -1 ? [] : this.#inOrder(bits, first, later)) {
      if (toSkip-- > 0) continue;
      ids.push(this.idOf(number));
      if (ids.length === limit) break;
    }
    return ids;
  }

  *#inOrder(bits: BitSet, first: number, later: readonly number[]): Generator<number> {
    let next = 0;
    for (let number = nextBit(bits, first); number !== -1 && number < this.#first.length; number = nextBit(bits, number + 1)) {
      while (next < later.length && compareText(this.idOf(later[next] ?? 0), this.idOf(number)) < 0) yield later[next++] ?? 0;
      yield number;
    }
    yield* later.slice(next);
  }

  #isNext(id: string): boolean {
    return this.#later.length === 0 && compareText(this.#first.at(-1) ?? '', id) < 0;
  }

  #append(id: string): number {
    this.#bytes += ID_BYTES + id.length;
    return this.#first.push(id) - 1;
  }

  #addLater(id: string): number {
    const number = this.width;
    this.#later.push(id);
    this.#numbers.set(id, number);
    const position = lowerBound(this.#laterInOrder.length, (at) => compareText(this.idOf(this.#laterInOrder[at] ?? 0), id) < 0);
    this.#laterInOrder.splice(position, 0, number);
    this.#bytes += LATER_BYTES + id.length;
    return number;
  }
}
