import type { Scalar } from '../../query/index.ts';
import { Posting } from './posting.ts';

/** Approximate bytes of a map entry in addition to the characters of its key. */
const ENTRY_BYTES = 64;

/** Finds the rows of a table by the values of one field. */
export class ValueIndex {
  /** A bare number if only one row has the value, because there may be a hundred thousand such values. */
  readonly #postings = new Map<Scalar, Posting | number>();
  #bytes = 0;

  /** Approximate size in memory. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The rows that have a value; undefined if none does. */
  get(value: Scalar): Posting | undefined {
    const entry = this.#postings.get(value);
    return typeof entry === 'number' ? postingOf(entry) : entry;
  }

  /**
   * Moves a row from its previous values to its current ones.
   * @param width greater than the number of any row
   */
  move(number: number, before: ReadonlySet<Scalar>, after: ReadonlySet<Scalar>, width: number): void {
    for (const value of before) if (!after.has(value)) this.#remove(value, number);
    for (const value of after) this.#add(value, number, width);
  }

  #remove(value: Scalar, number: number): void {
    const entry = this.#postings.get(value);
    if (entry === undefined || (typeof entry === 'number' && entry !== number)) return;
    if (typeof entry !== 'number') {
      entry.remove(number);
      if (entry.size > 0) return;
      this.#bytes -= entry.bytes;
    }
    this.#postings.delete(value);
    this.#bytes -= keyBytes(value);
  }

  #add(value: Scalar, number: number, width: number): void {
    const entry = this.#postings.get(value);
    if (entry === number) return;
    if (entry === undefined) {
      this.#postings.set(value, number);
      this.#bytes += keyBytes(value);
      return;
    }
    const posting = typeof entry === 'number' ? postingOf(entry) : entry;
    const before = posting === entry ? entry.bytes : 0;
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
