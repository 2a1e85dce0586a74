/** An element of a DER (X.690): its tag, its contents, and the elements within it if it is constructed. */
export interface DerElement {
  readonly tag: number;
  readonly contents: Uint8Array;
  /** The whole element, with its tag and length. */
  readonly bytes: Uint8Array;
  readonly children: readonly DerElement[];
}

const CONSTRUCTED = 0x20;
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

/** The rules for the contents of universal types (X.690, sections 8, 10 and 11; RFC 5280, section 4.1.2.5). */
const VALID: Readonly<Record<number, (contents: Uint8Array) => boolean>> = {
  1: ([value, ...rest]) => rest.length === 0 && (value === 0 || value === 0xff),
  2: ([first, second = 0, ...{ length }]) =>
    first !== undefined && (length === 0 || !((first === 0 && second < 0x80) || (first === 0xff && second >= 0x80))),
  3: ([unused, ...bytes]) => {
    if (unused === undefined || unused > 7) return false;
    return bytes.length === 0 ? unused === 0 : ((bytes.at(-1) ?? 0) & (2 ** unused - 1)) === 0;
  },
  4: () => true,
  5: ({ length }) => length === 0,
  6: (contents) =>
    contents.length > 0 &&
    (contents.at(-1) ?? 0) < 0x80 &&
    contents.every((byte, i) => byte !== 0x80 || (i > 0 && (contents[i - 1] ?? 0) >= 0x80)),
  12: (contents) => Buffer.from(contents).equals(Buffer.from(Buffer.from(contents).toString('utf8'), 'utf8')),
  19: (contents) => /^[A-Za-z0-9 '()+,\-./:=?]*$/.test(text(contents)),
  22: (contents) => contents.every((byte) => byte < 0x80),
  23: (contents) => /^\d{12}Z$/.test(text(contents)),
  // Dates before 2050 are of type UTCTime.
  24: (contents) => /^(20[5-9]|2[1-9]\d|[3-9]\d\d)\d{11}Z$/.test(text(contents)),
};
const [SEQUENCE, SET] = [0x30, 0x31];

/**
 * Parses the bytes as one element, by the rules of DER for what certificates consist of. Contents of octet strings are not parsed.
 * @throws Error with the offset of the first fault
 */
export const strictDer = (der: Uint8Array): DerElement => {
  const parse = (at: number, end: number): DerElement => {
    const fail = (fault: string): never => {
      throw new Error(`at ${at}: ${fault}`);
    };
    const tag = der[at] ?? fail('no tag');
    if ((tag & 0x1f) === 0x1f) fail('a tag number above 30');
    const first = der[at + 1] ?? fail('no length');
    const lengthBytes = first < 0x80 ? 0 : first - 0x80;
    if (first === 0x80 || lengthBytes > 4) fail('an indefinite or huge length');
    let start = at + 2;
    let length = lengthBytes === 0 ? first : 0;
    for (let i = 0; i < lengthBytes; i++) length = length * 256 + (der[start++] ?? fail('half a length'));
    if (lengthBytes > 0 && (length < 0x80 || length < 256 ** (lengthBytes - 1))) fail('a length that is not the shortest');
    const stop = start + length;
    if (stop > end) fail('an element longer than what is around it');
    const contents = der.subarray(start, stop);
    const children: DerElement[] = [];
    if (tag & CONSTRUCTED) for (let next = start; next < stop; next += children.at(-1)?.bytes.length ?? 0) children.push(parse(next, stop));
    if (tag < 0x40 && tag & CONSTRUCTED && tag !== SEQUENCE && tag !== SET) fail(`a constructed element of type ${tag & 0x1f}`);
    if (tag < CONSTRUCTED && !(VALID[tag] ?? fail(`the unexpected type ${tag}`))(contents)) fail(`invalid contents of type ${tag}`);
    if (tag === SET && !isSorted(children)) fail('a set that is not sorted');
    return { tag, contents, bytes: der.subarray(at, stop), children };
  };
  const whole = parse(0, der.length);
  if (whole.bytes.length !== der.length) throw new Error(`${der.length - whole.bytes.length} bytes after the end`);
  return whole;
};

/** True if elements are in the order of a set in DER (X.690, section 11.6). */
const isSorted = (elements: readonly Pick<DerElement, 'bytes'>[]): boolean =>
  elements.every(({ bytes }, i) => i === 0 || Buffer.compare(elements[i - 1]?.bytes ?? bytes, bytes) <= 0);
