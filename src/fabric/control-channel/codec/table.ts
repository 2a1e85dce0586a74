/** Constructors of the entries of a message's table of fields. */
import { listField, mapField, optionalField, singleField, type WireField } from './fields.ts';
import { valueType, type WireValue } from './values.ts';

type Entry<T, I = T> = readonly [number: number, field: WireField<T, I>];

const single =
  <T, I>(value: WireValue<T, I>) =>
  (number: number): Entry<T, I> => [number, singleField(value)];

const text = single(valueType.text);
const bytes = single(valueType.bytes);
const bool = single(valueType.bool);
const int32 = single(valueType.int32);
const uint32 = single(valueType.uint32);
const int64 = single(valueType.int64);
const uint64 = single(valueType.uint64);
const double = single(valueType.double);

/** An enum, whose numbers have names. */
const named = <T, I>(number: number, enumeration: WireValue<T, I>): Entry<T, I> => [number, singleField(enumeration)];

/** A nested message, or a member of a union; undefined if absent. */
const nested = <T, I>(number: number, message: WireValue<T, I>): Entry<T | undefined, I> => [number, optionalField(message)];

/** Any number of values. */
const list = <T, I>(number: number, value: WireValue<T, I>): Entry<readonly T[], readonly I[]> => [number, listField(value)];

/** Any number of strings. */
const texts = (number: number): Entry<readonly string[]> => list(number, valueType.text);

/** Values by key. */
const mapped = <K, T, I>(number: number, keys: WireValue<K>, value: WireValue<T, I>): Entry<ReadonlyMap<K, T>, ReadonlyMap<K, I>> => [
  number,
  mapField(keys, value),
];

/** Constructors of fields. Their first argument is the number of the field. */
export const field = { text, bytes, bool, int32, uint32, int64, uint64, double, named, nested, list, texts, mapped } as const;
