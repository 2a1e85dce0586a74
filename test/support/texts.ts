import fc from 'fast-check';

const codePoints = (min: number, max: number) => fc.integer({ min, max }).map((point) => String.fromCodePoint(point));

/** Any code point but halves of surrogate pairs, which UTF-8 cannot say. */
const codePoint = fc.oneof(codePoints(0, 0x7f), codePoints(0x80, 0xd7ff), codePoints(0xe000, 0xffff), codePoints(0x1_0000, 0x10_ffff));

/**
 * Texts of any code points, as of `fc.string({ unit: 'binary' })`. That lists all 1,112,064 of them first, which takes seconds
 * in every process.
 */
export const anyText = (constraints: { readonly maxLength?: number } = {}): fc.Arbitrary<string> =>
  fc.string({ unit: codePoint, ...constraints });

/** JSON values that a body may hold: a key `__proto__` is refused at any depth. */
export const acceptedJson = (constraints: fc.JsonSharedConstraints = {}): fc.Arbitrary<fc.JsonValue> =>
  fc.jsonValue(constraints).filter((value) => !JSON.stringify(value).includes('"__proto__":'));

/** Names of such values. */
export const acceptedKey = (constraints: fc.StringConstraints): fc.Arbitrary<string> =>
  fc.string(constraints).filter((key) => key !== '__proto__');
