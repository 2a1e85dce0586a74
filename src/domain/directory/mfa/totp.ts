import { generateSync } from 'otplib';
import { isEqual, toBytes } from '../../../platform/password-hasher.ts';
import type { Random } from '../../../platform/platform.ts';

/** 160 bits, as RFC 4226 (section 4, R6) recommends: 32 characters of base32. */
const SECRET_LENGTH = 32;
/** Seconds for which a code is the current one (RFC 6238, section 5.2). */
const INTERVAL = 30;
/** Codes of so many intervals before and after the current one are taken, for clocks that are wrong and people who are slow. */
const WINDOW = 2;

/** The alphabet of base32 (RFC 4648). */
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Random text in base32: five bits a character, none more likely than another. */
export const randomBase32 = (random: Pick<Random, 'bytes'>, length: number): string =>
  [...random.bytes(length)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');

export const newTotpSecret = (random: Pick<Random, 'bytes'>): string => randomBase32(random, SECRET_LENGTH);

/** The intervals whose codes are taken now. @param now ms */
export const takenIntervals = (now: number): readonly number[] => {
  const current = Math.floor(now / 1000 / INTERVAL);
  return Array.from({ length: 2 * WINDOW + 1 }, (_, i) => current - WINDOW + i).filter((interval) => interval >= 0);
};

/** The TOTP code of an interval: SHA-1 and six digits, which is what authenticator apps agree on. */
export const totpCode = (secret: string, interval: number): string => generateSync({ secret, epoch: interval * INTERVAL });

/** The intervals that a code matches. All are compared, so that timing reveals nothing. */
export const intervalsOfCode = (secret: string, code: string, intervals: readonly number[]): readonly number[] => {
  const given = toBytes(code);
  return intervals.filter((interval) => isEqual(given, toBytes(totpCode(secret, interval))));
};
