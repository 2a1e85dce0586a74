import { type Reader, wire } from './reader.ts';
import type { WireValue } from './values.ts';
import type { Writer } from './writer.ts';

/** A field of a message: one value, several, or a map. `I` is what a writer may give, `T` what a reader gets. */
export interface WireField<T, I = T> {
  initial(): T;
  /** What the field holds once one more occurrence was read; undefined if that is of another wire type, and to be skipped. */
  read(from: Reader, type: number, before: T): T | undefined;
  write(to: Writer, number: number, value: I): void;
}

/** One value. An absent one means what it means for its type. */
export const singleField = <T, I>(value: WireValue<T, I>): WireField<T, I> => ({
  initial: value.initial,
  read: (from, type, before) => (type === value.type ? value.read(from, before) : undefined),
  write: (to, number, given) => {
    if (!value.isInitial(given)) writeOne(to, number, value, given);
  },
});

/** One nested message or one of a union; undefined if it is absent. */
export const optionalField = <T, I>(value: WireValue<T, I>): WireField<T | undefined, I> => ({
  initial: () => undefined,
  read: (from, type, before) => (type === value.type ? value.read(from, before) : undefined),
  write: (to, number, given) => writeOne(to, number, value, given),
});

/** Several values: numbers are written packed, and read packed or not. */
export const listField = <T, I>(value: WireValue<T, I>): WireField<readonly T[], readonly I[]> => {
  const none: readonly T[] = [];
  return {
    initial: () => none,
    read: (from, type, before) => {
      // One that is not empty was made here, and is seen by nobody before the message is read.
      const list = before.length === 0 ? [] : (before as T[]);
      if (type === value.type) list.push(value.read(from));
      else if (type === wire.measured && value.type === wire.varint)
        from.within(() => {
          while (!from.isAtEnd) {
            from.element();
            list.push(value.read(from));
          }
        });
      else return undefined;
      return list;
    },
    write: (to, number, given) => {
      if (given.length === 0) return;
      if (value.type === wire.measured) for (const one of given) writeOne(to, number, value, one);
      else
        to.nested(number, (inner) => {
          for (const one of given) value.write(inner, one);
        });
    },
  };
};

/** Values by key. */
export const mapField = <K, T, I>(keys: WireValue<K>, values: WireValue<T, I>): WireField<ReadonlyMap<K, T>, ReadonlyMap<K, I>> => {
  const none: ReadonlyMap<K, T> = new Map();
  return {
    initial: () => none,
    read: (from, type, before) => {
      if (type !== wire.measured) return undefined;
      let key = keys.initial();
      let value = values.initial();
      from.within(() => {
        while (!from.isAtEnd) {
          from.element();
          const tag = from.uint32();
          if (tag === 8 + keys.type) key = keys.read(from);
          else if (tag === 16 + values.type) value = values.read(from, value);
          else from.skip(tag % 8);
        }
      });
      // Made here, as above.
      return (before.size === 0 ? new Map<K, T>() : (before as Map<K, T>)).set(key, value);
    },
    write: (to, number, given) => {
      for (const [key, value] of given)
        to.nested(number, (entry) => {
          if (!keys.isInitial(key)) writeOne(entry, 1, keys, key);
          if (!values.isInitial(value)) writeOne(entry, 2, values, value);
        });
    },
  };
};

const writeOne = <T, I>(to: Writer, number: number, value: WireValue<T, I>, given: I): void => {
  to.tag(number, value.type);
  value.write(to, given);
};
