import { type Argon2Parameters, parsePhc, printPhc } from './phc.ts';
import type { PasswordHasher, Random } from './platform.ts';

/** OWASP's recommendation for storing passwords with Argon2id: 19 MiB, two passes, one lane. */
const ARGON2_PARAMETERS: Argon2Parameters = Object.freeze({ m: 19456, t: 2, p: 1 });
const SALT_LENGTH = 16;
const TAG_LENGTH = 32;

/**
 * Derives a tag of `length` bytes from a password and a salt with Argon2id, version 19 (0x13). Only this function differs between
 * platforms.
 */
export type DeriveArgon2id = (
  password: Uint8Array,
  salt: Uint8Array,
  parameters: Argon2Parameters & { readonly length: number },
) => Promise<Uint8Array>;

/**
 * Creates a password hasher from any implementation of Argon2id. Text format, salts, bounds and comparison are shared, so a hash from one
 * platform can be verified on any other.
 */
export const argon2idHasher = (derive: DeriveArgon2id, random: Pick<Random, 'bytes'>): PasswordHasher => ({
  hash: async (password) => {
    const salt = random.bytes(SALT_LENGTH);
    const tag = await derive(toBytes(password), salt, { ...ARGON2_PARAMETERS, length: TAG_LENGTH });
    return printPhc({ ...ARGON2_PARAMETERS, salt, tag });
  },
  verify: async (password, hash) => {
    const parsed = parsePhc(hash);
    if (parsed === undefined) return false;
    const tag = await derive(toBytes(password), parsed.salt, { m: parsed.m, t: parsed.t, p: parsed.p, length: parsed.tag.length });
    return isEqual(tag, parsed.tag);
  },
  isOutdated: (hash) => {
    const parsed = parsePhc(hash);
    if (parsed === undefined) return true;
    return (
      parsed.m < ARGON2_PARAMETERS.m || parsed.t < ARGON2_PARAMETERS.t || parsed.salt.length < SALT_LENGTH || parsed.tag.length < TAG_LENGTH
    );
  },
});

/** Compares in a time that depends only on the lengths, not on the bytes. */
export const isEqual = (a: Uint8Array, b: Uint8Array): boolean => {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= (a[i] ?? 0) ^ (b[i] ?? 0);
  return difference === 0;
};

// Always encoded here, because native libraries may differ in how they encode lone surrogates as UTF-8.
const encoder = new TextEncoder();
export const toBytes = (text: string): Uint8Array => encoder.encode(text);
