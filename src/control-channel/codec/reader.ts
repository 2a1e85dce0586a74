import { Malformed } from '../malformed.ts';
import { textOf } from '../text.ts';

/** How a value is delimited on the wire. */
export const wire = { varint: 0, eightBytes: 1, measured: 2, fourBytes: 5 } as const;

/** Elements of lists and maps in one message at most, nested ones included: each takes far more memory than bytes on the wire. */
const MOST_ELEMENTS = 262_144;

/** Reads the encoding of Protocol Buffers. Every length is held against what is left before anything is made of it. */
export class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;
  #end: number;
  #elementsLeft = MOST_ELEMENTS;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#end = bytes.length;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#end;
  }

  /** Counts an element of a list or map. @throws Malformed when there are too many */
  element(): void {
    if (this.#elementsLeft-- === 0) throw new Malformed(`a message has more than ${MOST_ELEMENTS} elements`);
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
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#byte();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
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
