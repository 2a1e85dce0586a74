import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Reading } from '../pki/pem.ts';
import { boundedCache } from '../platform/bounded-cache.ts';
import { type ClaimFault, type Expected, subjectOf } from './claims.ts';
import type { PublicKey } from './public-key.ts';
import { createSignerKeys, type KeySource, type SignerKeysOptions } from './signer-keys.ts';
import type { Jwt } from './token.ts';

/** A signer of tokens, at one revision. */
export interface TokenSigner extends KeySource, Expected {
  readonly enabled: boolean;
}

/** Why a token is refused. `key`: its signer has no key with that name for its algorithm. */
export type TokenFault = ClaimFault | 'signer-disabled' | 'key' | 'signature';

/** Verifies tokens of external signers. */
export interface TokenVerifier {
  /** @returns the subject, from the claim that the signer specifies, or the fault: `issuer` without a signer */
  verify(token: Jwt, signer: TokenSigner | undefined): Promise<Reading<string, TokenFault>>;
  /** Prefetches the keys of a signer. */
  load(signer: TokenSigner): Promise<void>;
  close(): void;
}

/** Maximum number of cached tokens with verified signatures. */
const MAX_VERIFIED = 10_000;

export const createTokenVerifier = (options: SignerKeysOptions): TokenVerifier => {
  const keys = createSignerKeys(options);
  /** The key that signed a token, by the token's hash. Reloading or changing a signer creates new key objects, so that no entry outlives its key. */
  const signedBy = boundedCache<string, PublicKey>(MAX_VERIFIED);
  let standIn: ReturnType<typeof standInKey> | undefined;

  const isSigned = async ({ text, algorithm }: Jwt, key: PublicKey): Promise<boolean> => {
    const name = bytesToHex(sha256(utf8ToBytes(text)));
    if (signedBy.get(name) === key) return true;
    const signed = await key.signed(text, algorithm);
    if (signed) signedBy.set(name, key);
    return signed;
  };

  return {
    verify: async (token, signer) => {
      const known = signer?.enabled ? signer : undefined;
      const key = known && (await keys.find(known, token.kid, token.algorithm));
      if (!known || !key) {
        // Does the same work without a result, so that timing does not reveal which signers and keys exist.
        await (await (standIn ??= standInKey()))(token.text);
        return { fault: known ? 'key' : signer ? 'signer-disabled' : 'issuer' };
      }
      return (await isSigned(token, key)) ? subjectOf(token.claims, known, options.clock.now()) : { fault: 'signature' };
    },
    load: (signer) => keys.load(signer),
    close: () => keys.close(),
  };
};

const ES256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** A verification that always fails, against a throwaway key. */
const standInKey = async (): Promise<(text: string) => Promise<boolean>> => {
  const { publicKey } = await crypto.subtle.generateKey(ES256, false, ['sign', 'verify']);
  return (text) => crypto.subtle.verify(ES256, publicKey, new Uint8Array(64), new Uint8Array(utf8ToBytes(text)));
};
