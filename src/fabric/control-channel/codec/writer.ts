import { utf8 } from '../primitives.ts';
import { wireType } from './reader.ts';

/** Strings up to this length are written without an encoder if they are ASCII, which most short strings are. */
const SHORT_LENGTH = 64;

/** Writes the encoding of Protocol Buffers. */
export class Writer {
  #bytes = new Uint8Array(256);
  #length = 0;

  /** The encoded bytes. The writer must not be used again. */
  finish(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  tag(number: number, type: number): void {
    this.uint32(number * 8 + type);
  }

  uint32(value: number): void {
    let left = value;
    for (; left > 0x7f; left >>>= 7) this.#byte((left & 0x7f) | 0x80);
    this.#byte(left);
  }

  /** @param value encoded as two's complement if negative */
  uint64(value: bigint): void {
    let left = BigInt.asUintN(64, value);
    for (; left > 0x7fn; left >>= 7n) this.#byte(Number(left & 0x7fn) | 0x80);
    this.#byte(Number(left));
  }

  double(value: number): void {
    this.#reserve(8);
    new DataView(this.#bytes.buffer).setFloat64(this.#length, value, true);
    this.#length += 8;
  }

  bytes(bytes: Uint8Array): void {
    this.uint32(bytes.length);
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  text(value: string): void {
    if (value.length > SHORT_LENGTH || !this.#ascii(value)) this.bytes(utf8(value));
  }

  /** Writes a length-delimited field. */
  nested(number: number, write: (to: Writer) => void): void {
    this.tag(number, wireType.bytes);
    this.within(write);
  }

  /** Writes a length-delimited value. Reserves one byte for its length, and moves the value if the length takes more. */
  within(write: (to: Writer) => void): void {
    const start = this.#length;
    this.#byte(0);
    write(this);
    const end = this.#length;
    const size = end - start - 1;
    this.#length = start;
    if (size > 0x7f) {
      const extraBytes = (size > 0x1fffff ? (size > 0xfffffff ? 5 : 4) : size > 0x3fff ? 3 : 2) - 1;
      this.#length = end;
      this.#reserve(extraBytes);
      this.#bytes.copyWithin(start + 1 + extraBytes, start + 1, end);
      this.#length = start;
    }
    this.uint32(size);
    this.#length += size;
  }

  /** @returns false if the string is not ASCII, in which case nothing is written */
  #ascii(value: string): boolean {
    const start = this.#length;
    this.#reserve(value.length + 1);
    this.#bytes[start] = value.length;
    for (let i = 0; i < value.length; i++) {
      const code = value.charCodeAt(i);
      if (code > 0x7f) return false;
      this.#bytes[start + 1 + i] = code;
    }
    this.#length = start + 1 + value.length;
    return true;
  }

  #byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + count));
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}
