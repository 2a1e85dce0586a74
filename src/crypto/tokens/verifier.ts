import { utf8ToBytes } from '@noble/hashes/utils.js';
import type { TokenFault } from '../../runtime/observability/events.ts';
import { boundedCache } from '../../runtime/platform/bounded-cache.ts';
import type { Reading } from '../pki/pem.ts';
import { sha256Hex } from '../sha256.ts';
import type { PublicKey } from './public-key.ts';
import { createSignerKeys, type KeySource, type SignerKeysOptions } from './signer-keys.ts';
import { type Claims, type Jwt, stringClaimAt } from './token.ts';

/** A signer of tokens, at one version. */
export interface TokenSigner extends KeySource, Expected {
  readonly enabled: boolean;
}

/** Verifies tokens of external signers. */
export interface TokenVerifier {
  /** @returns the value of the claim that the signer specifies, or the fault of the token: `issuer` if `signer` is undefined */
  verify(token: Jwt, signer: TokenSigner | undefined): Promise<Reading<string, TokenFault>>;
  /** Prefetches the keys of a signer. */
  load(signer: TokenSigner): Promise<void>;
  close(): void;
}

/** Maximum number of cached tokens with verified signatures. */
const MAX_VERIFIED = 10_000;

export const createTokenVerifier = (options: SignerKeysOptions): TokenVerifier => {
  const keys = createSignerKeys(options);
  /**
   * The key that signed a token, by the token's hash. Reloading or changing a signer creates new key objects, so that no entry outlives its
   * key.
   */
  const signedBy = boundedCache<string, PublicKey>(MAX_VERIFIED);
  let decoy: ReturnType<typeof createDecoy> | undefined;

  const isSigned = async ({ text, algorithm }: Jwt, key: PublicKey): Promise<boolean> => {
    const hash = sha256Hex(text);
    if (signedBy.get(hash) === key) return true;
    const hasSigned = await key.hasSigned(text, algorithm);
    if (hasSigned) signedBy.set(hash, key);
    return hasSigned;
  };

  return {
    verify: async (token, signer) => {
      const key = signer?.enabled ? await keys.find(signer, token.kid, token.algorithm) : undefined;
      if (!signer || !key) {
        // Takes the same time as a verification, so that timing does not reveal which signers and keys exist.
        decoy ??= createDecoy();
        await (await decoy)(token.text);
        if (!signer) return { fault: 'issuer' };
        return { fault: signer.enabled ? 'key' : 'signer-disabled' };
      }
      return (await isSigned(token, key)) ? subjectOf(token.claims, signer, options.clock.now()) : { fault: 'signature' };
    },
    load: (signer) => keys.load(signer),
    close: () => keys.close(),
  };
};

const ES256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** Creates a function that verifies a signature with a throwaway key. It always returns false. */
const createDecoy = async (): Promise<(text: string) => Promise<boolean>> => {
  const { publicKey } = await crypto.subtle.generateKey(ES256, false, ['sign', 'verify']);
  return (text) => crypto.subtle.verify(ES256, publicKey, new Uint8Array(64), new Uint8Array(utf8ToBytes(text)));
};

/** The claims that a signer's tokens must contain. */
interface Expected {
  readonly issuer: string;
  readonly audience: string;
  /** The selector of the claim that identifies the bearer, see `claimAt`. */
  readonly claimsProperty: string;
}

/** A fault in the claims of a token. `claim`: it lacks an expiry, or the claim that identifies the bearer. */
type ClaimFault = Exclude<TokenFault, 'signer-disabled' | 'key' | 'signature'>;

/** Maximum clock skew between the signer and this controller. ms */
const TOLERANCE = 60_000;

/**
 * Validates the claims of a token and identifies its bearer (RFC 7519, section 4.1): issuer and audience must match exactly, `exp` must be
 * in the future, and `nbf` and `iat` must not, within a tolerance.
 * @param now ms since 1970
 * @returns the value of the claim that identifies the bearer, or the first fault
 */
export const subjectOf = (claims: Claims, { issuer, audience, claimsProperty }: Expected, now: number): Reading<string, ClaimFault> => {
  const { iss, aud, exp, nbf, iat } = claims;
  if (iss !== issuer) return { fault: 'issuer' };
  if (!(Array.isArray(aud) ? aud.includes(audience) : aud === audience)) return { fault: 'audience' };
  if (!isTime(exp)) return { fault: 'claim' };
  if (now >= exp * 1000 + TOLERANCE) return { fault: 'expired' };
  if (!hasBegun(nbf, now) || !hasBegun(iat, now)) return { fault: 'not-yet-valid' };
  const subject = stringClaimAt(claims, claimsProperty);
  return subject === undefined ? { fault: 'claim' } : { value: subject };
};

const isTime = (value: unknown): value is number => Number.isFinite(value);

const hasBegun = (seconds: unknown, now: number): boolean =>
  seconds === undefined || (isTime(seconds) && seconds * 1000 <= now + TOLERANCE);
