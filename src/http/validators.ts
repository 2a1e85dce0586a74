import type { Operation } from '../api/kit/operation.ts';
import type { HeaderValues, HttpOutput } from '../api/surfaces/http-output.ts';
import type { Random } from '../platform/platform.ts';

/** An answer before it is sent. */
interface TaggedAnswer {
  readonly status: number;
  readonly headers: HeaderValues;
  readonly body: NonNullable<HttpOutput['body']>;
}

/**
 * Adds an entity tag (RFC 9110, 8.8.3) to the answer of a read, and answers 304 without a body if the client already has it.
 * @param ifNoneMatch the header of the request (13.1.2); a malformed one matches nothing
 */
export type Validate = <A extends TaggedAnswer>(operation: Operation, answer: A, ifNoneMatch: string | undefined) => TaggedAnswer;

/** Longer answers, in characters, have no tag of their content, so that computing it delays no other request. */
const MAX_TAGGED = 1_000_000;
/** The same for requests without `If-None-Match`: the tag of a long list costs more than a third of the call, and few clients use it. */
const MAX_UNREQUESTED = 16_384;

/**
 * Creates the tags of one controller. The answer about an entity contains names of others and states of the moment, so that its version alone does not
 * determine it: the tag has the version, for `If-Match`, and a checksum of the whole answer. The tag of a list is the checksum.
 *
 * The checksum has secret factors, so that nobody can make two answers with the same one; other controllers, and this one after a restart, have other tags.
 */
export const createValidators = (random: Random): Validate => {
  const checksum = createChecksum(random);
  return ({ method, answer: { is } }, answer, ifNoneMatch) => {
    const { status, headers, body } = answer;
    if (method !== 'GET' || status !== 200 || (is !== 'data' && is !== 'page')) return answer;
    if (typeof body !== 'string' || body.length > (ifNoneMatch === undefined ? MAX_UNREQUESTED : MAX_TAGGED)) return answer;
    const version = /^"(\d+)"$/.exec(String(headers.etag ?? ''))?.[1];
    const etag = version === undefined ? `"${checksum(body)}"` : `"${version}-${checksum(body)}"`;
    if (!matchesAny(ifNoneMatch, etag)) return { ...answer, headers: { ...headers, etag } };
    const { 'content-type': _, ...others } = headers;
    return { ...answer, status: 304, headers: { ...others, etag }, body: '' };
  };
};

/** Compares weakly, as `If-None-Match` does. */
const matchesAny = (header: string | undefined, etag: string): boolean =>
  header !== undefined && (header.trim() === '*' || header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag));

/** 64 bits of a text, in base 36. */
const createChecksum = (random: Random): ((text: string) => string) => {
  const [seedA = 0, seedB = 0, factorA = 0, factorB = 0] = new Uint32Array(random.bytes(16).slice().buffer);
  // Only odd factors lose no bits.
  const [oddA, oddB] = [factorA | 1, factorB | 1];
  return (text) => {
    const bytes = utf8.encode(text);
    const rest = bytes.length % 4;
    // Four bytes at a time: much cheaper than one character at a time.
    const words = new Uint32Array(bytes.buffer, bytes.byteOffset, (bytes.length - rest) / 4);
    const last = bytes.subarray(bytes.length - rest).reduce((word, byte) => (word << 8) | byte, bytes.length);
    let [a, b] = [seedA ^ last, seedB];
    for (let i = 0; i < words.length; i++) {
      const word = words[i] as number; // within the array
      a = Math.imul(a ^ word, oddA);
      a = (a << 13) | (a >>> 19);
      b = Math.imul(b ^ word, oddB);
      b = (b << 17) | (b >>> 15);
    }
    return `${(a >>> 0).toString(36)}${(b >>> 0).toString(36).padStart(7, '0')}`;
  };
};

const utf8 = new TextEncoder();
