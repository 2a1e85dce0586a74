import { Malformed } from './malformed.ts';
import { joined, textOf, utf8 } from './primitives.ts';

/** The encoding of a header value. */
export interface HeaderForm<T> {
  write(value: T): Uint8Array;
  /** @throws Malformed */
  read(bytes: Uint8Array): T;
}

/** Maximum number of entries of a list or map in a header, and of bytes per entry. */
const MAX_ENTRIES = 128;
const MAX_ENTRY_BYTES = 8192;

/** @throws Malformed unless a value has this size */
const viewOf = (size: number, bytes: Uint8Array): DataView => {
  if (bytes.length !== size) throw new Malformed(`a header has ${bytes.length} bytes instead of ${size}`);
  return new DataView(bytes.buffer, bytes.byteOffset, size);
};

const encodeFixed = (size: number, write: (view: DataView) => void): Uint8Array => {
  const bytes = new Uint8Array(size);
  write(new DataView(bytes.buffer));
  return bytes;
};

/** Raw bytes. */
const raw: HeaderForm<Uint8Array> = { write: (value) => value, read: (bytes) => bytes };

/** UTF-8 without a length prefix. */
const text: HeaderForm<string> = { write: utf8, read: textOf };

/** One byte: 0 or 1. */
const bool: HeaderForm<boolean> = {
  write: (value) => Uint8Array.of(value ? 1 : 0),
  read: (bytes) => viewOf(1, bytes).getUint8(0) !== 0,
};

/** A number from 0 to 255. */
const byte: HeaderForm<number> = { write: (value) => Uint8Array.of(value), read: (bytes) => viewOf(1, bytes).getUint8(0) };

const int32: HeaderForm<number> = {
  write: (value) => encodeFixed(4, (view) => view.setInt32(0, value, true)),
  read: (bytes) => viewOf(4, bytes).getInt32(0, true),
};

const uint32: HeaderForm<number> = {
  write: (value) => encodeFixed(4, (view) => view.setUint32(0, value, true)),
  read: (bytes) => viewOf(4, bytes).getUint32(0, true),
};

const uint64: HeaderForm<bigint> = {
  write: (value) => encodeFixed(8, (view) => view.setBigUint64(0, value, true)),
  read: (bytes) => viewOf(8, bytes).getBigUint64(0, true),
};

/** A set of bit numbers: a big-endian integer without leading zeros. */
const bits: HeaderForm<readonly number[]> = {
  write: (value) => {
    const bytes = new Uint8Array(Math.floor(Math.max(-1, ...value) / 8) + 1);
    for (const bit of value) {
      const offset = bytes.length - 1 - Math.floor(bit / 8);
      bytes[offset] = (bytes[offset] ?? 0) | (1 << (bit % 8));
    }
    return bytes;
  },
  read: (bytes) => {
    if (bytes.length > MAX_ENTRIES) throw new Malformed('a header has too many bits');
    return [...bytes].toReversed().flatMap((byte, offset) => BITS.filter((bit) => byte & (1 << bit)).map((bit) => offset * 8 + bit));
  },
};

const BITS = [0, 1, 2, 3, 4, 5, 6, 7];

/** Strings: their count, then each with a length prefix. */
const texts: HeaderForm<readonly string[]> = {
  write: (value) =>
    value.length === 0 ? EMPTY : joined([uint32.write(value.length), ...value.flatMap((item) => lengthPrefixed(utf8(item)))]),
  read: (bytes) => entries(bytes, (cursor) => textOf(cursor.lengthPrefixed())),
};

/** Byte strings keyed by number, such as the data that one end of a circuit sends to the other. */
const bytesByNumber: HeaderForm<ReadonlyMap<number, Uint8Array>> = {
  write: (value) =>
    value.size === 0
      ? EMPTY
      : joined([uint32.write(value.size), ...[...value].flatMap(([key, bytes]) => [uint32.write(key), ...lengthPrefixed(bytes)])]),
  // Copied, because the buffer of the frame is reused.
  read: (bytes) => new Map(entries(bytes, (cursor) => [cursor.uint32(), new Uint8Array(cursor.lengthPrefixed())])),
};

/** Strings keyed by string. */
const textByText: HeaderForm<ReadonlyMap<string, string>> = {
  write: (value) =>
    value.size === 0 ? EMPTY : joined([uint32.write(value.size), ...[...value].flat().flatMap((item) => lengthPrefixed(utf8(item)))]),
  read: (bytes) => new Map(entries(bytes, (cursor) => [textOf(cursor.lengthPrefixed()), textOf(cursor.lengthPrefixed())])),
};

const EMPTY = new Uint8Array();

const lengthPrefixed = (bytes: Uint8Array): readonly Uint8Array[] => [uint32.write(bytes.length), bytes];

interface Cursor {
  uint32(): number;
  /** Bytes with a length prefix. */
  lengthPrefixed(): Uint8Array;
}

const entries = <T>(bytes: Uint8Array, read: (cursor: Cursor) => T): readonly T[] => {
  if (bytes.length === 0) return [];
  let offset = 0;
  const take = (count: number): Uint8Array => {
    if (count > bytes.length - offset) throw new Malformed('a list or map in a header is cut off');
    offset += count;
    return bytes.subarray(offset - count, offset);
  };
  const cursor: Cursor = {
    uint32: () => uint32.read(take(4)),
    lengthPrefixed: () => {
      const length = cursor.uint32();
      if (length > MAX_ENTRY_BYTES) throw new Malformed(`an entry of a header has ${length} bytes`);
      return take(length);
    },
  };
  const count = cursor.uint32();
  if (count > MAX_ENTRIES) throw new Malformed(`a list or map in a header has ${count} entries`);
  const values = Array.from({ length: count }, () => read(cursor));
  if (offset < bytes.length) throw new Malformed('a list or map in a header is followed by other bytes');
  return values;
};

/** Encodings of header values. */
export const headerForm = { raw, text, bool, byte, int32, uint32, uint64, bits, texts, bytesByNumber, textByText } as const;
