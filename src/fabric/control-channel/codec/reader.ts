import { Malformed } from '../malformed.ts';
import { textOf } from '../primitives.ts';

/** Wire types. The length of a value is shown by its own bytes (`varint`), fixed, or given by a prefix (`bytes`). */
export const wireType = { varint: 0, eightBytes: 1, bytes: 2, fourBytes: 5 } as const;

/**
 * Maximum number of elements in one field, if the elements of the message are limited. A field is read without yielding to the event loop;
 * reading this many elements takes about 20 ms.
 */
const MAX_IN_FIELD = 32_768;

/** Reads the encoding of Protocol Buffers. Lengths are checked against the rest of the message before anything is allocated. */
export class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;
  #end: number;
  readonly #maxElements: number;
  readonly #maxInField: number;
  #elements = 0;
  /** Number of elements before the current field. */
  #fieldStart = 0;

  /**
   * @param maxElements maximum number of elements: fields, list values and map entries. Each takes far more memory than bytes on the wire.
   */
  constructor(bytes: Uint8Array, maxElements = Number.POSITIVE_INFINITY) {
    this.#bytes = bytes;
    this.#end = bytes.length;
    this.#maxElements = maxElements;
    this.#maxInField = Number.isFinite(maxElements) ? MAX_IN_FIELD : maxElements;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#end;
  }

  /**
   * Counts an element.
   * @throws Malformed if there are too many
   */
  element(): void {
    if (++this.#elements > this.#maxElements) throw new Malformed(`a message has more than ${this.#maxElements} elements`);
    if (this.#elements - this.#fieldStart > this.#maxInField) throw new Malformed(`a field has more than ${MAX_IN_FIELD} elements`);
  }

  /**
   * Begins the next field of the outermost message.
   * @returns the number of elements of the previous field
   */
  nextField(): number {
    const count = this.#elements - this.#fieldStart;
    this.#fieldStart = this.#elements;
    return count;
  }

  /**
   * Reads a varint of any length.
   * @returns its lower 32 bits, unsigned
   */
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
    // Uses numbers as long as they are exact: big integers take ten times as long.
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

  /** A view of the message's buffer: copy it to keep it. */
  bytes(): Uint8Array {
    const length = this.#length();
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  text(): string {
    return textOf(this.bytes());
  }

  /** Reads a length-delimited value. While `read` runs, the end of the value counts as the end of the message. */
  within<T>(read: () => T): T {
    const length = this.#length();
    const outer = this.#end;
    this.#end = this.#at + length;
    const value = read();
    this.#end = outer;
    return value;
  }

  double(): number {
    this.#forward(8);
    const { buffer, byteOffset } = this.#bytes;
    return new DataView(buffer, byteOffset + this.#at - 8, 8).getFloat64(0, true);
  }

  skip(type: number): void {
    if (type === wireType.varint) this.uint32();
    else if (type === wireType.bytes) this.bytes();
    else if (type === wireType.eightBytes) this.#forward(8);
    else if (type === wireType.fourBytes) this.#forward(4);
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
