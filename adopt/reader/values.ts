/** Values of the former database's storage module: a byte for the type, and the value. */
import { isUtf8 } from 'node:buffer';
import { FormerDatabaseError } from './former-error.ts';

/** The types of typed values. */
export type Scalar = null | boolean | number | string | Date;

/** The type bytes. */
export const TYPES = { bool: 1, int32: 2, int64: 3, float: 4, text: 5, time: 6, nil: 7 } as const;

/** The key in the bucket of a list that holds its length. */
export const LIST_SIZE = '__list__size__36484231-110c-4767-afe2-01b6e3db107a';

/** A value that breaks the rules, without the place where it is. */
class BadValue extends Error {}

/**
 * Decodes a typed value. An integer beyond 2^53 is rounded.
 * @throws FormerDatabaseError `DAMAGED`, with the page
 */
export const scalarOf = (value: Buffer, page: number): Scalar => {
  try {
    return decoded(value);
  } catch (error) {
    throw error instanceof BadValue ? new FormerDatabaseError('DAMAGED', error.message, page) : error;
  }
};

/** Text as UTF-8; bytes that are none are not replaced, as that would change names. */
export const textOf = (bytes: Buffer, page: number): string => {
  if (!isUtf8(bytes)) throw new FormerDatabaseError('DAMAGED', 'a text is not UTF-8', page);
  return bytes.toString();
};

/** The text in a key that has a type, as sets have them. */
export const typedKeyOf = (key: Buffer, page: number): string => {
  if (key[0] !== TYPES.text) throw new FormerDatabaseError('DAMAGED', `a key of a set has type ${key[0]}, not that of a text`, page);
  return textOf(key.subarray(1), page);
};

const decoded = (value: Buffer): Scalar => {
  if (value.length === 0) return null;
  const rest = value.subarray(1);
  switch (value[0]) {
    case TYPES.bool:
      return ofLength(rest, 1)[0] === 1;
    case TYPES.int32:
      return ofLength(rest, 4).readInt32LE(0);
    case TYPES.int64:
      return Number(ofLength(rest, 8).readBigInt64LE(0));
    case TYPES.float:
      return finite(ofLength(rest, 8).readDoubleLE(0));
    case TYPES.text:
      if (!isUtf8(rest)) throw new BadValue('a text is not UTF-8');
      return rest.toString();
    case TYPES.time:
      return timeOf(rest);
    case TYPES.nil:
      return null;
    default:
      throw new BadValue(`a value has the unknown type ${value[0]}`);
  }
};

const ofLength = (rest: Buffer, length: number): Buffer => {
  if (rest.length !== length) throw new BadValue(`a value has ${rest.length} bytes after its type, not ${length}`);
  return rest;
};

const finite = (value: number): number => {
  if (!Number.isFinite(value)) throw new BadValue('a number is infinite or not a number');
  return value;
};

/** Seconds from the beginning of the year 1 to that of 1970. */
const YEAR_1 = 62_135_596_800n;

/**
 * Go's binary form of a time: version 1, or 2 with a seconds part of the offset; seconds since the year 1, nanoseconds, and the offset,
 * which does not change the moment. To the millisecond.
 */
const timeOf = (rest: Buffer): Date => {
  const version = rest[0];
  if (version !== 1 && version !== 2) throw new BadValue(`a time has version ${version}, neither 1 nor 2`);
  ofLength(rest, version === 1 ? 15 : 16);
  const nanoseconds = rest.readInt32BE(9);
  const time = new Date(Number(rest.readBigInt64BE(1) - YEAR_1) * 1000 + Math.floor(nanoseconds / 1_000_000));
  if (nanoseconds < 0 || nanoseconds > 999_999_999 || Number.isNaN(time.getTime())) throw new BadValue('a time is out of range');
  return time;
};

/** Go's zero time, which stands for no time. */
export const isZeroTime = (time: Date): boolean => time.getTime() === Number(-YEAR_1) * 1000;
