import type { Scalar } from '../query/index.ts';
import { Posting } from './posting.ts';

/** Approximate bytes of a map entry without its key. */
const ENTRY_BYTES = 64;

/** The rows of a table by the values of one field. */
export class ValueIndex {
  /** The bare number if only one row holds a value: there may be a hundred thousand such values. */
  readonly #postings = new Map<Scalar, Posting | number>();
  #bytes = 0;

  /** Approximate size in memory. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The rows that hold a value; undefined if none does. */
  get(value: Scalar): Posting | undefined {
    const held = this.#postings.get(value);
    return typeof held === 'number' ? postingOf(held) : held;
  }

  /** Moves a row from the values that it held to those that it holds. @param width more than the greatest number of any row */
  move(number: number, before: ReadonlySet<Scalar>, after: ReadonlySet<Scalar>, width: number): void {
    for (const value of before) if (!after.has(value)) this.#remove(value, number);
    for (const value of after) this.#add(value, number, width);
  }

  #remove(value: Scalar, number: number): void {
    const held = this.#postings.get(value);
    if (held === undefined || (typeof held === 'number' && held !== number)) return;
    if (typeof held !== 'number') {
      held.remove(number);
      if (held.size > 0) return;
      this.#bytes -= held.bytes;
    }
    this.#postings.delete(value);
    this.#bytes -= keyBytes(value);
  }

  #add(value: Scalar, number: number, width: number): void {
    const held = this.#postings.get(value);
    if (held === number) return;
    if (held === undefined) {
      this.#postings.set(value, number);
      this.#bytes += keyBytes(value);
      return;
    }
    const posting = typeof held === 'number' ? postingOf(held) : held;
    const before = posting === held ? held.bytes : 0;
    posting.add(number, width);
    this.#bytes += posting.bytes - before;
    this.#postings.set(value, posting);
  }
}

const postingOf = (number: number): Posting => {
  const posting = new Posting();
  posting.add(number, Number.POSITIVE_INFINITY);
  return posting;
};

const keyBytes = (value: Scalar): number => ENTRY_BYTES + (typeof value === 'string' ? value.length : 0);
