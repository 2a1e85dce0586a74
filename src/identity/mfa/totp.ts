import { createGuardrails, verifySync } from 'otplib';
import type { Random } from '../../runtime/platform/platform.ts';

/** 160 bits, as RFC 4226 (section 4, R6) recommends: 32 characters of base32. */
const SECRET_LENGTH = 32;
/**
 * Length limits of secrets. Other controllers issue secrets of 10 bytes, which the library rejects by default, like secrets of more than 64
 * bytes.
 */
const GUARDRAILS = createGuardrails({ MIN_SECRET_BYTES: 10, MAX_SECRET_BYTES: 1024 });
/** The time step of codes (RFC 6238, section 5.2), in seconds. */
export const INTERVAL = 30;
/** Number of intervals before and after the current one whose codes are also accepted, to allow for clock skew and slow typing. */
const WINDOW = 2;

/** The alphabet of base32 (RFC 4648). */
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Random base32 text: five uniformly distributed bits per character. */
export const randomBase32 = (random: Pick<Random, 'bytes'>, length: number): string =>
  [...random.bytes(length)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');

export const newTotpSecret = (random: Pick<Random, 'bytes'>): string => randomBase32(random, SECRET_LENGTH);

const intervalAt = (seconds: number): number => Math.floor(seconds / INTERVAL);

/**
 * The intervals whose codes are currently accepted.
 * @param now ms
 */
export const acceptedIntervals = (now: number): readonly number[] => {
  const current = intervalAt(now / 1000);
  return Array.from({ length: 2 * WINDOW + 1 }, (_, i) => current - WINDOW + i).filter((interval) => interval >= 0);
};

/**
 * The interval of a currently accepted code. Uses TOTP with SHA-1 and six digits, which all authenticator apps support. Compares in
 * constant time.
 * @param now ms
 * @returns undefined for any other text
 */
export const intervalOfCode = (secret: string, code: string, now: number): number | undefined => {
  if (!/^\d{6}$/.test(code)) return undefined; // the library throws for malformed codes
  const epoch = Math.floor(now / 1000);
  const found = verifySync({ secret, token: code, epoch, period: INTERVAL, epochTolerance: WINDOW * INTERVAL, guardrails: GUARDRAILS });
  return found.valid ? intervalAt(epoch) + found.delta : undefined;
};

/** Maximum length of a name in a provisioning URL: with an issuer of 40 characters, in any script, the URL fits in a QR code. */
const MAX_ACCOUNT_LENGTH = 100;

/** The provisioning URL of an authenticator app ("Key Uri Format" of Google Authenticator, which all apps support). */
export const provisioningUrl = (issuer: string, account: string, secret: string): string => {
  const encodedIssuer = encodeURIComponent(issuer);
  const label = encodeURIComponent([...account].slice(0, MAX_ACCOUNT_LENGTH).join(''));
  return `otpauth://totp/${encodedIssuer}:${label}?issuer=${encodedIssuer}&secret=${secret}`;
};
