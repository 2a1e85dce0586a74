import { type Reader, wireType } from './reader.ts';
import type { Writer } from './writer.ts';

/** The encoding of one value. `I` is the type to encode, `T` the decoded type. */
export interface WireValue<T, I = T> {
  readonly type: number;
  /** The default of an absent field. */
  initial(): T;
  /** @param before the value of an earlier occurrence of the field, into which a nested message is merged */
  read(from: Reader, before?: T): T;
  write(to: Writer, value: I): void;
  /** True for the default, which is not written. */
  isInitial(value: I): boolean;
}

const scalar = <T>(type: number, initial: T, read: (from: Reader) => T, write: (to: Writer, value: T) => void): WireValue<T> => ({
  type,
  initial: () => initial,
  read,
  write,
  isInitial: (value) => value === initial,
});

const text = scalar<string>(
  wireType.bytes,
  '',
  (from) => from.text(),
  (to, value) => to.text(value),
);

const bool = scalar<boolean>(
  wireType.varint,
  false,
  (from) => from.uint64() !== 0n,
  (to, value) => to.uint32(value ? 1 : 0),
);

const uint32 = scalar<number>(
  wireType.varint,
  0,
  (from) => from.uint32(),
  (to, value) => to.uint32(value),
);

const int32 = scalar<number>(
  wireType.varint,
  0,
  (from) => from.uint32() | 0,
  // Negative numbers are encoded as 64-bit integers, in ten bytes.
  (to, value) => (value < 0 ? to.uint64(BigInt(value)) : to.uint32(value)),
);

const uint64 = scalar<bigint>(
  wireType.varint,
  0n,
  (from) => from.uint64(),
  (to, value) => to.uint64(value),
);

const int64 = scalar<bigint>(
  wireType.varint,
  0n,
  (from) => BigInt.asIntN(64, from.uint64()),
  (to, value) => to.uint64(value),
);

const double = scalar<number>(
  wireType.eightBytes,
  0,
  (from) => from.double(),
  (to, value) => to.double(value),
);

const EMPTY = new Uint8Array();

/** Bytes, copied because the buffer of the frame is reused. */
const bytes: WireValue<Uint8Array> = {
  type: wireType.bytes,
  initial: () => EMPTY,
  // Not `slice`, which does not copy a Node buffer.
  read: (from) => new Uint8Array(from.bytes()),
  write: (to, value) => to.bytes(value),
  isInitial: (value) => value.length === 0,
};

/** The name for an unknown number, which a newer router may send. */
const UNRECOGNIZED = 'unrecognized';

/** An enum, by the names of the numbers from 0. The first one is the default. */
const enumeration = <N extends string>(names: readonly (N | undefined)[]): WireValue<N | typeof UNRECOGNIZED, N> => {
  const initial = names[0] ?? UNRECOGNIZED;
  return {
    type: wireType.varint,
    initial: () => initial,
    read: (from) => names[from.uint32()] ?? UNRECOGNIZED,
    write: (to, value) => to.uint32(names.indexOf(value)),
    isInitial: (value) => value === names[0],
  };
};

/** Types of values. */
export const valueType = { text, bytes, bool, int32, uint32, int64, uint64, double, enumeration } as const;
