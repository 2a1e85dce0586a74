import { type Argon2Parameters, parsePhc, printPhc } from './phc.ts';
import type { PasswordHasher, Random } from './platform.ts';

/** OWASP's password storage advice for Argon2id: 19 MiB, two passes, one lane. */
const ARGON2_TODAY: Argon2Parameters = Object.freeze({ m: 19456, t: 2, p: 1 });
const SALT_LENGTH = 16;
const TAG_LENGTH = 32;

/** Argon2id, version 19 (0x13), of bytes with a salt: a tag of `length` bytes. The one thing in which platforms differ. */
export type DeriveArgon2id = (
  password: Uint8Array,
  salt: Uint8Array,
  parameters: Argon2Parameters & { readonly length: number },
) => Promise<Uint8Array>;

/**
 * A password hasher on any implementation of Argon2id. Everything but the derivation is here, once: the text format, salts,
 * bounds and comparison. So a hash made on one platform is good on every other.
 */
export const argon2idHasher = (derive: DeriveArgon2id, random: Pick<Random, 'bytes'>): PasswordHasher => ({
  hash: async (password) => {
    const salt = random.bytes(SALT_LENGTH);
    const tag = await derive(toBytes(password), salt, { ...ARGON2_TODAY, length: TAG_LENGTH });
    return printPhc({ ...ARGON2_TODAY, salt, tag });
  },
  verify: async (password, hash) => {
    const known = parsePhc(hash);
    if (known === undefined) return false;
    const tag = await derive(toBytes(password), known.salt, { m: known.m, t: known.t, p: known.p, length: known.tag.length });
    return isEqual(tag, known.tag);
  },
  isOutdated: (hash) => {
    const known = parsePhc(hash);
    if (known === undefined) return true;
    return known.m < ARGON2_TODAY.m || known.t < ARGON2_TODAY.t || known.salt.length < SALT_LENGTH || known.tag.length < TAG_LENGTH;
  },
});

/** Compares in a time that depends on the lengths only. */
export const isEqual = (a: Uint8Array, b: Uint8Array): boolean => {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= (a[i] ?? 0) ^ (b[i] ?? 0);
  return difference === 0;
};

// UTF-8, always made here: what a native library does with a lone surrogate need not be what the others do.
const encoder = new TextEncoder();
export const toBytes = (text: string): Uint8Array => encoder.encode(text);
