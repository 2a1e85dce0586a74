import { type Reader, wireType } from './reader.ts';
import type { WireValue } from './values.ts';
import type { Writer } from './writer.ts';

/** A field of a message: a single value, a list, or a map. `I` is the type to encode, `T` the decoded type. */
export interface WireField<T, I = T> {
  initial(): T;
  /**
   * Reads one more occurrence of the field.
   * @returns the new value; undefined if the wire type is wrong, so that the caller skips the occurrence
   */
  read(from: Reader, type: number, before: T): T | undefined;
  write(to: Writer, number: number, value: I): void;
}

/** A single value, with the default of its type. */
export const singleField = <T, I>(value: WireValue<T, I>): WireField<T, I> => ({
  initial: value.initial,
  read: (from, type, before) => (type === value.type ? value.read(from, before) : undefined),
  write: (to, number, given) => {
    if (!value.isInitial(given)) writeOne(to, number, value, given);
  },
});

/** A nested message, or a member of a union; undefined if absent. */
export const optionalField = <T, I>(value: WireValue<T, I>): WireField<T | undefined, I> => ({
  initial: () => undefined,
  read: (from, type, before) => (type === value.type ? value.read(from, before) : undefined),
  write: (to, number, given) => writeOne(to, number, value, given),
});

/** Repeated values. Numbers are written packed, and read packed or unpacked. */
export const listField = <T, I>(value: WireValue<T, I>): WireField<readonly T[], readonly I[]> => {
  const none: readonly T[] = [];
  return {
    initial: () => none,
    read: (from, type, before) => {
      // Safe to mutate: a list that is not empty was created here, and is not shared before the whole message has been read.
      const list = before.length === 0 ? [] : (before as T[]);
      if (type === value.type) list.push(value.read(from));
      else if (type === wireType.bytes && value.type === wireType.varint)
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
      if (value.type === wireType.bytes) for (const element of given) writeOne(to, number, value, element);
      else
        to.nested(number, (inner) => {
          for (const element of given) value.write(inner, element);
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
      if (type !== wireType.bytes) return undefined;
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
      // Safe to mutate, as above.
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
