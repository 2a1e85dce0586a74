/** The keys that sign the tokens of the OpenID provider: P-256 (ES256), which every client verifies. Pure; where they are kept is for others to say. */
import { bytesToHex } from '@noble/hashes/utils.js';
import { exportJWK } from 'jose/key/export';
import { generateKeyPair } from 'jose/key/generate/keypair';
import { DAY, HOUR } from '../platform/clock.ts';

/** Members of a private key on P-256 (RFC 7518, section 6.2). */
export interface PrivateKey {
  readonly kty: 'EC';
  readonly crv: 'P-256';
  readonly x: string;
  readonly y: string;
  readonly d: string;
}

/** A key, as it is kept. */
export interface SigningKey {
  /** SHA-1 of the public key (SPKI), lower-case hex: a name, no proof. */
  readonly kid: string;
  readonly key: PrivateKey;
  /** From when it signs, ms since 1970: it was published for a while then. */
  readonly signsFrom: number;
}

/** When keys follow one another. ms */
export interface Rotation {
  /** For how long a key signs. */
  readonly every: number;
  /** For how long it is published then: the longest life of a token. */
  readonly keptFor: number;
}

/** A key is published for so long before it signs, so that all controllers and clients know it. ms */
const PUBLISHED_BEFORE = DAY;
/** Clocks differ. ms */
const MARGIN = HOUR;

/** @param signsFrom ms since 1970 */
export const newSigningKey = async (signsFrom: number): Promise<SigningKey> => {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const { x = '', y = '', d = '' } = await exportJWK(privateKey);
  const spki = await crypto.subtle.exportKey('spki', publicKey);
  const kid = bytesToHex(new Uint8Array(await crypto.subtle.digest('SHA-1', spki)));
  return { kid, key: { kty: 'EC', crv: 'P-256', x, y, d }, signsFrom };
};

/** The key that signs now: the latest whose time has come, or else the first one, where the clock of who made it is ahead of this one. */
export const signingAt = (keys: readonly SigningKey[], now: number): SigningKey | undefined =>
  keys.filter(({ signsFrom }) => signsFrom <= now).reduce<SigningKey | undefined>(latest, undefined) ??
  keys.reduce<SigningKey | undefined>(earliest, undefined);

/**
 * The keys as they are to be from now on: the next one a day before its time, none that no token can have been signed with any more.
 * @returns undefined when they are that already
 */
export const rotated = async (
  keys: readonly SigningKey[],
  now: number,
  { every, keptFor }: Rotation,
): Promise<readonly SigningKey[] | undefined> => {
  const last = keys.reduce<SigningKey | undefined>(latest, undefined);
  if (!last) return [await newSigningKey(now)];
  const kept = keys.filter((key) => {
    const successor = keys.filter(({ signsFrom }) => signsFrom > key.signsFrom).reduce<SigningKey | undefined>(earliest, undefined);
    return !successor || now <= successor.signsFrom + keptFor + MARGIN;
  });
  const isDue = now >= last.signsFrom + every - Math.min(PUBLISHED_BEFORE, every / 2);
  const next = isDue ? [...kept, await newSigningKey(Math.max(now + Math.min(PUBLISHED_BEFORE, every / 2), last.signsFrom + every))] : kept;
  return next.length === keys.length && !isDue ? undefined : next;
};

const latest = (a: SigningKey | undefined, b: SigningKey): SigningKey => (a === undefined || b.signsFrom > a.signsFrom ? b : a);
const earliest = (a: SigningKey | undefined, b: SigningKey): SigningKey => (a === undefined || b.signsFrom < a.signsFrom ? b : a);
