import { decodeUnpaddedBase64, encodeUnpaddedBase64 } from './base64.ts';

/**
 * The parameters of Argon2id hashes in the PHC string format: `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<tag>`, salt and tag in base64 without
 * padding. A hash names its parameters, so that parameters can be raised without making old hashes unreadable. Hashes can be imported, so
 * they are not trusted: a hash that would take excessive time or memory to verify counts as unreadable.
 */
export interface Argon2Parameters {
  /** Memory in KiB. */
  readonly m: number;
  /** Passes over the memory. */
  readonly t: number;
  /** Lanes. */
  readonly p: number;
}

export interface Argon2Hash extends Argon2Parameters {
  readonly salt: Uint8Array;
  readonly tag: Uint8Array;
}

/** Upper bounds for `parsePhc`. `work` is memory times passes: one verification may process 1 GiB, e.g. four passes over 256 MiB. */
const MAX = { m: 2 ** 18, t: 16, p: 16, work: 2 ** 20 } as const;
const SALT_BYTES = { min: 8, max: 64 } as const;
const TAG_BYTES = { min: 16, max: 64 } as const;

const PHC =
  /^\$argon2id\$v=19\$m=([1-9][0-9]{0,9}),t=([1-9][0-9]{0,9}),p=([1-9][0-9]{0,9})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/;

/**
 * @returns the parsed hash; undefined for any other string: another algorithm or version, malformed, or with parameters out of bounds.
 * Never throws.
 */
export const parsePhc = (text: string): Argon2Hash | undefined => {
  const [, m, t, p, salt, tag] = PHC.exec(text) ?? [];
  if (salt === undefined || tag === undefined) return undefined;
  const [saltBytes, tagBytes] = [decodeUnpaddedBase64(salt), decodeUnpaddedBase64(tag)];
  if (!saltBytes || !tagBytes) return undefined;
  const hash = { m: Number(m), t: Number(t), p: Number(p), salt: saltBytes, tag: tagBytes };
  return isWithinBounds(hash) ? hash : undefined;
};

export const printPhc = ({ m, t, p, salt, tag }: Argon2Hash): string =>
  `$argon2id$v=19$m=${m},t=${t},p=${p}$${encodeUnpaddedBase64(salt)}$${encodeUnpaddedBase64(tag)}`;

// Argon2 itself requires 8 KiB per lane (RFC 9106, section 3.1).
const isWithinBounds = ({ m, t, p, salt, tag }: Argon2Hash): boolean =>
  m >= 8 * p && m <= MAX.m && t <= MAX.t && p <= MAX.p && m * t <= MAX.work && hasLength(salt, SALT_BYTES) && hasLength(tag, TAG_BYTES);

const hasLength = (bytes: Uint8Array, { min, max }: { readonly min: number; readonly max: number }): boolean =>
  bytes.length >= min && bytes.length <= max;
