/** A tag (X.690), and the bounds of the contents. */
interface Header {
  readonly tag: number;
  readonly start: number;
  readonly end: number;
}

/** Maximum nesting depth. Supported structures are nested less deeply. */
const MAX_DEPTH = 32;
export const OCTET_STRING = 0x04;
export const SEQUENCE = 0x30;
export const SET = 0x31;
/** `[0]`, the tag of a certificate's version. */
const EXPLICIT_VERSION = 0xa0;
/** After the version of a certificate: serial number, signature, issuer. */
const FIELDS_BEFORE_VALIDITY = 3;
/** After the version of a certificate: serial number, signature, issuer, validity, subject. */
const FIELDS_BEFORE_KEY = 5;
/** The flag of a tag whose contents are elements. */
const CONSTRUCTED = 0x20;

/** @returns undefined if no complete element ends by `end` */
const headerAt = (der: Uint8Array, at: number, end: number): Header | undefined => {
  const tag = der[at];
  let next = at + 1;
  // A tag number above 30 takes additional bytes.
  if (tag !== undefined && (tag & 0x1f) === 0x1f) while (next < end && (der[next++] ?? 0) & 0x80);
  const first = next < end ? der[next++] : undefined;
  if (tag === undefined || first === undefined) return undefined;
  let length = first;
  if (first >= 0x80) {
    const count = first - 0x80;
    if (count < 1 || count > 3 || next + count > end) return undefined;
    length = 0;
    for (let i = 0; i < count; i++) length = length * 256 + (der[next++] ?? 0);
  }
  return next + length <= end ? { tag, start: next, end: next + length } : undefined;
};

/**
 * Counts the elements of a DER structure, including those inside octet strings, which contain extensions. The cost of parsing grows with
 * their number, and an element may be as short as 3 bytes. Counting takes a few nanoseconds per element, and stops beyond `max`.
 * @returns Infinity if the bytes are not DER
 */
export const countElements = (der: Uint8Array, max: number): number => {
  let count = 0;
  const scan = (from: number, to: number, depth: number): boolean => {
    if (depth > MAX_DEPTH) return false;
    for (let at = from; at < to && count <= max; ) {
      const header = headerAt(der, at, to);
      if (!header) return false;
      count++;
      if (header.tag & CONSTRUCTED) {
        if (!scan(header.start, header.end, depth + 1)) return false;
      } else if (header.tag === OCTET_STRING) scan(header.start, header.end, depth + 1); // its contents need not be DER
      at = header.end;
    }
    return true;
  };
  return scan(0, der.length, 0) ? count : Number.POSITIVE_INFINITY;
};

/**
 * Reads a field of a certificate (RFC 5280, section 4.1) without parsing the other fields.
 * @param preceding number of fields between the version and this field
 */
const readField = (certificate: Uint8Array, preceding: number): Uint8Array | undefined => {
  const outer = headerAt(certificate, 0, certificate.length);
  const body = outer && headerAt(certificate, outer.start, outer.end);
  if (!body) return undefined;
  const version = headerAt(certificate, body.start, body.end);
  let at = version?.tag === EXPLICIT_VERSION ? version.end : body.start;
  for (let i = 0; i < preceding; i++) {
    const field = headerAt(certificate, at, body.end);
    if (!field) return undefined;
    at = field.end;
  }
  const found = headerAt(certificate, at, body.end);
  return found?.tag === SEQUENCE ? certificate.subarray(at, found.end) : undefined;
};

/** The SubjectPublicKeyInfo of a certificate, unchanged. */
export const spkiOf = (certificate: Uint8Array): Uint8Array | undefined => readField(certificate, FIELDS_BEFORE_KEY);

/** Reads the end of the validity of a certificate, in ms since 1970, a hundred times as fast as the library. */
export const notAfterIn = (certificate: Uint8Array): number | undefined => {
  const validity = readField(certificate, FIELDS_BEFORE_VALIDITY);
  const end = validity && elementsIn(validity)?.[1];
  if (!end) return undefined;
  const text = String.fromCharCode(...end.contents.subarray(0, MAX_TIME));
  const match = (end.tag === UTC_TIME ? UTC_TIME_TEXT : GENERALIZED_TIME_TEXT).exec(text);
  if (!match) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1).map(Number);
  return Date.UTC(end.tag === UTC_TIME ? fullYear(year) : year, month - 1, day, hour, minute, second);
};

const UTC_TIME = 0x17;
const UTC_TIME_TEXT = /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/;
const GENERALIZED_TIME_TEXT = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/;
/** Length of the longest time, in bytes. */
const MAX_TIME = 15;

/** A UTCTime has the last two digits of a year from 1950 to 2049 (RFC 5280, section 4.1.2.5.1). */
const fullYear = (twoDigits: number): number => twoDigits + (twoDigits < 50 ? 2000 : 1900);

/** Reads the elements directly within a constructed element, each with its contents; undefined if the bytes are not DER. */
export const elementsIn = (der: Uint8Array): readonly { readonly tag: number; readonly contents: Uint8Array }[] | undefined => {
  const outer = headerAt(der, 0, der.length);
  if (!outer) return undefined;
  const elements: { readonly tag: number; readonly contents: Uint8Array }[] = [];
  for (let at = outer.start; at < outer.end; ) {
    const header = headerAt(der, at, outer.end);
    if (!header) return undefined;
    elements.push({ tag: header.tag, contents: der.subarray(header.start, header.end) });
    at = header.end;
  }
  return elements;
};

/** Encodes an element from the concatenation of its contents. */
export const element = (tag: number, ...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> => {
  const size = parts.reduce((sum, { length }) => sum + length, 0);
  const header = Uint8Array.of(tag, ...encodeLength(size));
  const bytes = new Uint8Array(header.length + size);
  bytes.set(header);
  let at = header.length;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
};

/** Encodes a length in its shortest form (X.690, section 10.1). */
const encodeLength = (length: number): readonly number[] => {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return [0x80 + bytes.length, ...bytes];
};

/**
 * The bit lengths of the modulus and exponent of an RSA key (RFC 8017, appendix A.1.1) in a SubjectPublicKeyInfo; undefined for other keys.
 */
export const rsaBitsOf = (spki: Uint8Array): { readonly modulus: number; readonly exponent: number } | undefined => {
  const outer = headerAt(spki, 0, spki.length);
  const algorithm = outer && headerAt(spki, outer.start, outer.end);
  const bits = algorithm && headerAt(spki, algorithm.end, outer.end);
  // A bit string begins with the number of its unused bits.
  const key = bits && headerAt(spki, bits.start + 1, bits.end);
  const modulus = key && headerAt(spki, key.start, key.end);
  const exponent = modulus && headerAt(spki, modulus.end, key.end);
  if (!exponent) return undefined;
  const bitsIn = ({ start, end }: Header) => bitLength(spki.subarray(start, end));
  return { modulus: bitsIn(modulus), exponent: bitsIn(exponent) };
};

/** The bit length of a big-endian number. */
export const bitLength = (bytes: Uint8Array): number => {
  const first = bytes.findIndex((byte) => byte !== 0);
  return first < 0 ? 0 : (bytes.length - first) * 8 - (Math.clz32(bytes[first] ?? 0) - 24);
};
