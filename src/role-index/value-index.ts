import type { Scalar } from '../query/index.ts';
import { Posting } from './posting.ts';

/** Of an entry in a map, with its key apart. Bytes, about */
const ENTRY_BYTES = 64;

/** The rows of a table by the values of one field. */
export class ValueIndex implements Iterable<readonly [Scalar, Posting]> {
  readonly #postings = new Map<Scalar, Posting>();
  #bytes = 0;

  /** In memory, about. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The rows that hold a value; undefined if none does. */
  get(value: Scalar): Posting | undefined {
    return this.#postings.get(value);
  }

  [Symbol.iterator](): Iterator<readonly [Scalar, Posting]> {
    return this.#postings.entries();
  }

  /** Moves a row from the values that it held to those that it holds. @param width more than the greatest number of any row */
  move(number: number, before: ReadonlySet<Scalar>, after: ReadonlySet<Scalar>, width: number): void {
    for (const value of before) if (!after.has(value)) this.#remove(value, number);
    for (const value of after) this.#add(value, number, width);
  }

  #remove(value: Scalar, number: number): void {
    const posting = this.#postings.get(value);
    posting?.remove(number);
    if (posting?.size !== 0) return;
    this.#postings.delete(value);
    this.#bytes -= posting.bytes + keyBytes(value);
  }

  #add(value: Scalar, number: number, width: number): void {
    let posting = this.#postings.get(value);
    if (!posting) {
      this.#postings.set(value, (posting = new Posting()));
      this.#bytes += posting.bytes + keyBytes(value);
    }
    const { bytes } = posting;
    posting.add(number, width);
    this.#bytes += posting.bytes - bytes;
  }
}

const keyBytes = (value: Scalar): number => ENTRY_BYTES + (typeof value === 'string' ? value.length : 0);
