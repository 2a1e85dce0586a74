import { Posting } from './posting.ts';

/** The number of elements that each row of a table has in one set field. */
export class SetSizes {
  #sizes = new Uint32Array(0);
  /** The rows whose set is not empty. */
  readonly nonEmpty = new Posting();

  /** Approximate size in memory. */
  get bytes(): number {
    return this.#sizes.byteLength + this.nonEmpty.bytes;
  }

  of(number: number): number {
    return this.#sizes[number] ?? 0;
  }

  /** @param width greater than the number of any row */
  put(number: number, size: number, width: number): void {
    if (number >= this.#sizes.length && size > 0) this.#grow(width);
    if (number < this.#sizes.length) this.#sizes[number] = size;
    if (size > 0) this.nonEmpty.add(number, width);
    else this.nonEmpty.remove(number);
  }

  /** Allocates half as much again as needed, because rows are added one by one. */
  #grow(width: number): void {
    const longer = new Uint32Array(Math.ceil(width * 1.5));
    longer.set(this.#sizes);
    this.#sizes = longer;
  }
}
