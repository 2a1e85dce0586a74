/** The keys that sign the tokens of the OpenID provider: P-256 (ES256), which every client supports. Other modules store them. */
import { bytesToHex } from '@noble/hashes/utils.js';
import { exportJWK } from 'jose/key/export';
import { generateKeyPair } from 'jose/key/generate/keypair';
import { DAY, HOUR } from '../../runtime/platform/clock.ts';

/** Members of a private key on P-256 (RFC 7518, section 6.2). */
export interface PrivateKey {
  readonly kty: 'EC';
  readonly crv: 'P-256';
  readonly x: string;
  readonly y: string;
  readonly d: string;
}

/** A key in its stored form. */
export interface SigningKey {
  /** SHA-1 of the public key (SPKI) in lower-case hex. Only an identifier: security does not depend on it. */
  readonly kid: string;
  readonly key: PrivateKey;
  /** The time from which the key signs, in ms since 1970. It is published earlier. */
  readonly signsFrom: number;
}

/** The rotation schedule of keys. ms */
export interface Rotation {
  /** Time for which each key signs. */
  readonly every: number;
  /** Time for which a key remains published afterwards: the maximum lifetime of a token. */
  readonly keptFor: number;
}

/** Time for which a key is published before it signs, so that all controllers and clients have it. ms */
const PUBLISHED_BEFORE = DAY;
/** Allowance for clock skew. ms */
const MARGIN = HOUR;

/**
 * Creates a key.
 * @param signsFrom ms since 1970
 */
export const newSigningKey = async (signsFrom: number): Promise<SigningKey> => {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const { x = '', y = '', d = '' } = await exportJWK(privateKey);
  const spki = await crypto.subtle.exportKey('spki', publicKey);
  const kid = bytesToHex(new Uint8Array(await crypto.subtle.digest('SHA-1', spki)));
  return { kid, key: { kty: 'EC', crv: 'P-256', x, y, d }, signsFrom };
};

/**
 * The key that signs now: the latest one whose `signsFrom` has passed. If all are in the future, because the clock of the controller that
 * created them is ahead, the earliest one.
 */
export const signingAt = (keys: readonly SigningKey[], now: number): SigningKey | undefined =>
  keys.filter(({ signsFrom }) => signsFrom <= now).reduce<SigningKey | undefined>(latest, undefined) ??
  keys.reduce<SigningKey | undefined>(earliest, undefined);

/**
 * Rotates the keys: adds the next key a day before it signs, and drops keys whose tokens have all expired.
 * @returns undefined if no key is added or dropped
 */
export const rotateKeys = async (
  keys: readonly SigningKey[],
  now: number,
  { every, keptFor }: Rotation,
): Promise<readonly SigningKey[] | undefined> => {
  const last = keys.reduce<SigningKey | undefined>(latest, undefined);
  if (!last) return [await newSigningKey(now)];
  const remaining = keys.filter((key) => {
    const successor = keys.filter(({ signsFrom }) => signsFrom > key.signsFrom).reduce<SigningKey | undefined>(earliest, undefined);
    return !successor || now <= successor.signsFrom + keptFor + MARGIN;
  });
  const isDue = now >= last.signsFrom + every - Math.min(PUBLISHED_BEFORE, every / 2);
  const next = isDue
    ? [...remaining, await newSigningKey(Math.max(now + Math.min(PUBLISHED_BEFORE, every / 2), last.signsFrom + every))]
    : remaining;
  return next.length === keys.length && !isDue ? undefined : next;
};

const latest = (a: SigningKey | undefined, b: SigningKey): SigningKey => (a === undefined || b.signsFrom > a.signsFrom ? b : a);
const earliest = (a: SigningKey | undefined, b: SigningKey): SigningKey => (a === undefined || b.signsFrom < a.signsFrom ? b : a);
