import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Reading } from '../pki/pem.ts';
import { boundedCache } from '../platform/bounded-cache.ts';
import { type ClaimFault, type Expected, subjectOf } from './claims.ts';
import type { PublicKey } from './public-key.ts';
import { createSignerKeys, type KeySource, type SignerKeysOptions } from './signer-keys.ts';
import type { Jwt } from './token.ts';

/** An issuer of tokens, at one revision. */
export interface TokenSigner extends KeySource, Expected {
  readonly enabled: boolean;
}

/** Why a token proves nothing. `key`: its signer has no key of that name for its algorithm. */
export type TokenFault = ClaimFault | 'signer-disabled' | 'key' | 'signature';

/** Verifies tokens of external signers. */
export interface TokenVerifier {
  /** @returns the subject, by the signer's claim. Without a signer, the fault is the issuer */
  verify(token: Jwt, signer: TokenSigner | undefined): Promise<Reading<string, TokenFault>>;
  /** Loads the keys of a signer ahead of the first token. */
  load(signer: TokenSigner): Promise<void>;
  close(): void;
}

/** Tokens whose signatures are remembered. */
const MOST = 10_000;

export const createTokenVerifier = (options: SignerKeysOptions): TokenVerifier => {
  const keys = createSignerKeys(options);
  /** By hash of a token, the key that signed it. A key is of one loading of one revision, so that nothing outlives what it was checked with. */
  const signedBy = boundedCache<string, PublicKey>(MOST);
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
        // The same work without a result, so that timing does not reveal which signers and keys exist.
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

/** Checks signatures of a key that signs nothing. */
const standInKey = async (): Promise<(text: string) => Promise<boolean>> => {
  const { publicKey } = await crypto.subtle.generateKey(ES256, false, ['sign', 'verify']);
  return (text) => crypto.subtle.verify(ES256, publicKey, new Uint8Array(64), new Uint8Array(utf8ToBytes(text)));
};
