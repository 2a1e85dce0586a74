import { createGuardrails, verifySync } from 'otplib';
import type { Random } from '../../../platform/platform.ts';

/** 160 bits, as RFC 4226 (section 4, R6) recommends: 32 characters of base32. */
const SECRET_LENGTH = 32;
/** Bytes of stored secrets. Other controllers issue 10, which the library would refuse, and it would refuse more than 64, too. */
const GUARDRAILS = createGuardrails({ MIN_SECRET_BYTES: 10, MAX_SECRET_BYTES: 1024 });
/** Seconds for which a code is the current one (RFC 6238, section 5.2). */
export const INTERVAL = 30;
/** Codes of so many intervals before and after the current one are taken, for clocks that are wrong and people who are slow. */
const WINDOW = 2;

/** The alphabet of base32 (RFC 4648). */
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Random text in base32: five bits a character, none more likely than another. */
export const randomBase32 = (random: Pick<Random, 'bytes'>, length: number): string =>
  [...random.bytes(length)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');

export const newTotpSecret = (random: Pick<Random, 'bytes'>): string => randomBase32(random, SECRET_LENGTH);

const intervalAt = (seconds: number): number => Math.floor(seconds / INTERVAL);

/** The intervals whose codes are taken now. @param now ms */
export const takenIntervals = (now: number): readonly number[] => {
  const current = intervalAt(now / 1000);
  return Array.from({ length: 2 * WINDOW + 1 }, (_, i) => current - WINDOW + i).filter((interval) => interval >= 0);
};

/**
 * The interval of a code that is taken now: of TOTP with SHA-1 and six digits, which is what authenticator apps agree on. Compared in constant time.
 * @param now ms
 * @returns undefined for any other text
 */
export const intervalOfCode = (secret: string, code: string, now: number): number | undefined => {
  if (!/^\d{6}$/.test(code)) return undefined; // the library throws for what cannot be a code
  const epoch = Math.floor(now / 1000);
  const found = verifySync({ secret, token: code, epoch, period: INTERVAL, epochTolerance: WINDOW * INTERVAL, guardrails: GUARDRAILS });
  return found.valid ? intervalAt(epoch) + found.delta : undefined;
};

/** Most characters of a name in a provisioning URL: with an issuer of 40, in any script, the URL fits in a QR code. */
const ACCOUNT_LENGTH = 100;

/** The provisioning URL of an authenticator app ("Key Uri Format" of Google Authenticator, which all apps support). */
export const provisioningUrl = (issuer: string, account: string, secret: string): string => {
  const by = encodeURIComponent(issuer);
  const label = encodeURIComponent([...account].slice(0, ACCOUNT_LENGTH).join(''));
  return `otpauth://totp/${by}:${label}?issuer=${by}&secret=${secret}`;
};
