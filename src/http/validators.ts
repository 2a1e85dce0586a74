/** Validators of answers: entity tags (RFC 9110, 8.8.3). */
import { invalidField } from '../contract/errors/index.ts';
import type { Random } from '../runtime/platform/platform.ts';

/** Maximum length of an answer with a checksum in its tag, in characters: longer ones would delay other requests. */
const MAX_TAGGED = 1_000_000;
/**
 * The same for requests without `If-None-Match`: the checksum of a long list takes more than a third of the call, and few clients use it.
 */
const MAX_UNREQUESTED = 16_384;

/** The entity tag of a version. */
export const entityTag = (version: number): string => `"${version}"`;

/**
 * The entity tag of the answer to a read.
 * @param version the version of the entity that the answer shows, if it shows one
 * @param isRequested true if the client may already have the answer
 * @returns undefined if the answer has none
 */
type TagOf = (body: unknown, version: number | undefined, isRequested: boolean) => string | undefined;

/**
 * Creates the tags of one controller. The detail of an entity contains names of other entities and current states, so its version alone
 * does not determine it: the tag consists of the version, for `If-Match`, and a checksum of the whole answer. The tag of a list is the
 * checksum.
 *
 * The checksum has secret factors, so that nobody can construct two answers with the same one. Other controllers, and this one after a
 * restart, use other tags.
 */
export const createTags = (random: Random): TagOf => {
  const checksum = createChecksum(random);
  return (body, version, isRequested) => {
    if (typeof body !== 'string' || body.length > (isRequested ? MAX_TAGGED : MAX_UNREQUESTED))
      return version === undefined ? undefined : entityTag(version);
    return version === undefined ? `"${checksum(body)}"` : `"${version}-${checksum(body)}"`;
  };
};

/** True if an `If-None-Match` header has a tag (13.1.2). The comparison is weak; a malformed header matches nothing. */
export const isTagIn = (header: string, etag: string): boolean =>
  header.trim() === '*' || header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);

/** 64 bits of a text, in base 36. */
const createChecksum = (random: Random): ((text: string) => string) => {
  const [seedA = 0, seedB = 0, factorA = 0, factorB = 0] = new Uint32Array(random.bytes(16).slice().buffer);
  // Only odd factors lose no bits.
  const [oddA, oddB] = [factorA | 1, factorB | 1];
  // Most texts are encoded here: a buffer for each would cost more than its checksum.
  const shared = new Uint8Array(3 * MAX_UNREQUESTED);
  const sharedWords = new Uint32Array(shared.buffer);
  return (text) => {
    const isShared = text.length <= MAX_UNREQUESTED;
    const bytes = isShared ? shared : utf8.encode(text);
    const length = isShared ? utf8.encodeInto(text, shared).written : bytes.length;
    // Four bytes at a time: much cheaper than one character at a time.
    const count = length >>> 2;
    const words = isShared ? sharedWords : new Uint32Array(bytes.buffer, bytes.byteOffset, count);
    let last = length;
    for (let i = count * 4; i < length; i++) last = (last << 8) | (bytes[i] as number); // within the array
    let [a, b] = [seedA ^ last, seedB];
    for (let i = 0; i < count; i++) {
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

/** One entity tag, weak or strong, with the comma that follows it. */
const TAG = /\s*(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"\s*(?:,|$)/y;

/**
 * The versions in an `If-Match` header (RFC 9110, 13.1.1). Weak tags, and tags that the controller cannot have issued, match nothing.
 * @returns undefined if any version matches: there is no header, or it is `*`
 * @throws ApiError `COULD_NOT_VALIDATE` if it is not a list of entity tags
 */
export const versionsIn = (header: string | undefined): readonly number[] | undefined => {
  if (header === undefined || header.trim() === '*') return undefined;
  const versions: number[] = [];
  for (TAG.lastIndex = 0; TAG.lastIndex < header.length; ) {
    const tag = TAG.exec(header);
    if (!tag) throw invalidField('If-Match', 'If-Match must be entity tags like "12", or *', header);
    const [, weak, value = ''] = tag;
    // The tag of an answer has a checksum after the version.
    const version = weak === undefined ? /^([1-9]\d{0,15})(?:-[0-9a-z]+)?$/.exec(value)?.[1] : undefined;
    if (version !== undefined) versions.push(Number(version));
  }
  return versions;
};
