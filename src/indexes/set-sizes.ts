import { Posting } from './posting.ts';

/** How many values each row of a table holds in one set field. */
export class SetSizes {
  #sizes = new Uint32Array(0);
  /** The rows that hold any. */
  readonly some = new Posting();

  /** Approximate size in memory. */
  get bytes(): number {
    return this.#sizes.byteLength + this.some.bytes;
  }

  of(number: number): number {
    return this.#sizes[number] ?? 0;
  }

  /** @param width more than the greatest number of any row */
  put(number: number, size: number, width: number): void {
    if (number >= this.#sizes.length && size > 0) this.#grow(width);
    if (number < this.#sizes.length) this.#sizes[number] = size;
    if (size > 0) this.some.add(number, width);
    else this.some.remove(number);
  }

  /** By half more than is needed: rows are added one by one. */
  #grow(width: number): void {
    const longer = new Uint32Array(Math.ceil(width * 1.5));
    longer.set(this.#sizes);
    this.#sizes = longer;
  }
}
