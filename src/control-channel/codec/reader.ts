import { Malformed } from '../malformed.ts';
import { textOf } from '../text.ts';

/** How a value is delimited on the wire. */
export const wire = { varint: 0, eightBytes: 1, measured: 2, fourBytes: 5 } as const;

/** Elements within one field of a message at most, where these are bounded: it is read in one go, in some 20 ms. */
const MOST_IN_FIELD = 32_768;

/** Reads the encoding of Protocol Buffers. Every length is held against what is left before anything is made of it. */
export class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;
  #end: number;
  readonly #most: number;
  readonly #mostInField: number;
  #elements = 0;
  #before = 0;

  /** @param most elements that are read at most: fields, values of lists and entries of maps. Each takes far more memory than bytes on the wire. */
  constructor(bytes: Uint8Array, most = Number.POSITIVE_INFINITY) {
    this.#bytes = bytes;
    this.#end = bytes.length;
    this.#most = most;
    this.#mostInField = Number.isFinite(most) ? MOST_IN_FIELD : most;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#end;
  }

  /** Counts an element. @throws Malformed when there are too many */
  element(): void {
    if (++this.#elements > this.#most) throw new Malformed(`a message has more than ${this.#most} elements`);
    if (this.#elements - this.#before > this.#mostInField) throw new Malformed(`a field has more than ${MOST_IN_FIELD} elements`);
  }

  /** Begins with the next field of the message itself. @returns how many elements the last one had */
  nextField(): number {
    const count = this.#elements - this.#before;
    this.#before = this.#elements;
    return count;
  }

  /** The lower 32 bits of a number of any length, unsigned. */
  uint32(): number {
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.#byte();
      if (shift < 32) value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
    throw new Malformed('a number has more than ten bytes');
  }

  uint64(): bigint {
    // Made of numbers as long as these are exact: big integers take ten times as long.
    let [low, high, factor] = [0, 0, 1];
    for (let at = 0; at < 10; at++) {
      const byte = this.#byte();
      if (at < 7) low += (byte & 0x7f) * factor;
      else high += (byte & 0x7f) * factor;
      factor = at === 6 ? 1 : factor * 128;
      if (byte < 0x80) return high === 0 ? BigInt(low) : BigInt.asUintN(64, (BigInt(high) << 49n) + BigInt(low));
    }
    throw new Malformed('a number has more than ten bytes');
  }

  /** A part of the message itself: who keeps it copies it. */
  measured(): Uint8Array {
    const length = this.#length();
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  text(): string {
    return textOf(this.measured());
  }

  /** Reads what is measured, to its end. */
  within<T>(read: () => T): T {
    const length = this.#length();
    const outer = this.#end;
    this.#end = this.#at + length;
    const value = read();
    this.#end = outer;
    return value;
  }

  skip(type: number): void {
    if (type === wire.varint) this.uint32();
    else if (type === wire.measured) this.measured();
    else if (type === wire.eightBytes) this.#forward(8);
    else if (type === wire.fourBytes) this.#forward(4);
    else throw new Malformed(`a field is of the unknown wire type ${type}`);
  }

  #byte(): number {
    const byte = this.#at < this.#end ? this.#bytes[this.#at++] : undefined;
    if (byte === undefined) throw new Malformed('a message is cut off');
    return byte;
  }

  #length(): number {
    const length = this.uint32();
    if (length > this.#end - this.#at) throw new Malformed('a field is longer than its message');
    return length;
  }

  #forward(count: number): void {
    if (count > this.#end - this.#at) throw new Malformed('a message is cut off');
    this.#at += count;
  }
}
