import { type Reader, wire } from './reader.ts';
import type { Writer } from './writer.ts';

/** How one value is written, apart from where it stands. `I` is what a writer may give, `T` what a reader gets. */
export interface WireValue<T, I = T> {
  readonly type: number;
  /** What an absent field means. */
  initial(): T;
  /** @param before the value of an earlier field with the same number, which nested messages are merged with */
  read(from: Reader, before?: T): T;
  write(to: Writer, value: I): void;
  /** Whether it is left out. */
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
  wire.measured,
  '',
  (from) => from.text(),
  (to, value) => to.text(value),
);

const bool = scalar<boolean>(
  wire.varint,
  false,
  (from) => from.uint64() !== 0n,
  (to, value) => to.uint32(value ? 1 : 0),
);

const uint32 = scalar<number>(
  wire.varint,
  0,
  (from) => from.uint32(),
  (to, value) => to.uint32(value),
);

const int32 = scalar<number>(
  wire.varint,
  0,
  (from) => from.uint32() | 0,
  // A negative one has the ten bytes that it would have with 64 bits.
  (to, value) => (value < 0 ? to.uint64(BigInt(value)) : to.uint32(value)),
);

const uint64 = scalar<bigint>(
  wire.varint,
  0n,
  (from) => from.uint64(),
  (to, value) => to.uint64(value),
);

const int64 = scalar<bigint>(
  wire.varint,
  0n,
  (from) => BigInt.asIntN(64, from.uint64()),
  (to, value) => to.uint64(value),
);

const EMPTY = new Uint8Array();

/** Bytes of their own: they are kept, unlike the frame that they came in. */
const bytes: WireValue<Uint8Array> = {
  type: wire.measured,
  initial: () => EMPTY,
  // Not `slice`, which of a Node buffer copies nothing.
  read: (from) => new Uint8Array(from.measured()),
  write: (to, value) => to.measured(value),
  isInitial: (value) => value.length === 0,
};

/** What a number means that a newer router sends. */
export const UNRECOGNIZED = 'unrecognized';

/** Names for numbers, the first of which must stand for 0. It is what an absent field means. */
const enumeration = <N extends string>(names: readonly (N | undefined)[]): WireValue<N | typeof UNRECOGNIZED, N> => {
  const initial = names[0] ?? UNRECOGNIZED;
  return {
    type: wire.varint,
    initial: () => initial,
    read: (from) => names[from.uint32()] ?? UNRECOGNIZED,
    write: (to, value) => to.uint32(names.indexOf(value)),
    isInitial: (value) => value === names[0],
  };
};

/** The types that values have. */
export const valueType = { text, bytes, bool, int32, uint32, int64, uint64, enumeration } as const;
