import type { JWK } from 'jose';
import { compactVerify } from 'jose/jws/compact/verify';
import { importJWK } from 'jose/key/import';
import type { Certificate } from '../pki/certificate.ts';
import { bitLength } from '../pki/der.ts';
import { keyIn, signingAlgorithmOf } from '../pki/keys.ts';
import { readBase64 } from '../pki/pem.ts';
import { MAX_EXPONENT_BITS, RSA_BITS } from '../pki/strength.ts';
import { allows, keyTypeOf } from './algorithms.ts';

/** A key that tokens may be signed with. */
export interface PublicKey {
  readonly kid: string;
  /** Whether the key is for this algorithm. */
  allows(algorithm: string): boolean;
  /** Whether it signed the token, by the algorithm, which it allows. Never throws. */
  signed(token: string, algorithm: string): Promise<boolean>;
}

type Members = Readonly<Record<string, unknown>>;
type Imported = Awaited<ReturnType<typeof importJWK>>;

/**
 * A member of a key set (RFC 7517). If it has a certificate, its key is that of the certificate, of which nothing else counts, because the key set
 * itself is trusted.
 * @returns undefined for a key that cannot verify tokens here: no `kid`, another use, or a type that is not accepted
 */
export const keyOfJwk = async (jwk: Members): Promise<PublicKey | undefined> => {
  const { kid, use, key_ops: operations, x5c, alg } = jwk;
  if (typeof kid !== 'string' || kid === '') return undefined;
  if (use !== undefined && use !== 'sig') return undefined;
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes('verify'))) return undefined;
  if (x5c === undefined) return publicKey(kid, jwk, alg);
  const certificate = certificateIn(x5c);
  const key = certificate && (await keyIn(certificate));
  const members = key && (await membersOf(key));
  return members && publicKey(kid, members, alg);
};

/** The certificate of the key in a chain of them: the first (RFC 7517, section 4.7). The others are not read. */
const certificateIn = (chain: unknown): Uint8Array<ArrayBuffer> | undefined => {
  const [first]: readonly unknown[] = Array.isArray(chain) ? chain : [];
  return typeof first === 'string' ? readBase64(first) : undefined;
};

/** The key of a certificate. */
export const keyOfCertificate = async (kid: string, certificate: Certificate): Promise<PublicKey | undefined> => {
  const members = await membersOf(certificate.parsed.publicKey);
  return members && publicKey(kid, members);
};

const membersOf = async (publicKey: Certificate['parsed']['publicKey']): Promise<Members | undefined> => {
  const algorithm = signingAlgorithmOf(publicKey);
  if (!algorithm) return undefined;
  try {
    const key = await crypto.subtle.importKey('spki', publicKey.rawData, algorithm, true, ['verify']);
    return { ...(await crypto.subtle.exportKey('jwk', key)) };
  } catch {
    return undefined; // a key that the runtime does not take, such as one for PSS only
  }
};

/** Characters of the longest modulus, which is not decoded when it is longer. */
const MAX_MODULUS = Math.ceil((RSA_BITS.most / 8) * (4 / 3));

const bitsIn = (base64url: string): number => {
  const bytes = readBase64(base64url.replaceAll('-', '+').replaceAll('_', '/'));
  return bytes ? bitLength(bytes) : 0;
};

/** Whether it is a public exponent, in base64url, with which checking a signature costs little. */
const isGoodExponent = (exponent: unknown): boolean => {
  const bits = typeof exponent === 'string' && exponent.length <= MAX_MODULUS ? bitsIn(exponent) : 0;
  return bits > 1 && bits <= MAX_EXPONENT_BITS;
};

/** Whether it is the modulus of an RSA key, in base64url, that is neither too short nor too long. */
const isOfGoodLength = (modulus: unknown): boolean => {
  const bits = typeof modulus === 'string' && modulus.length <= MAX_MODULUS ? bitsIn(modulus) : 0;
  return bits >= RSA_BITS.least && bits <= RSA_BITS.most;
};

/** @param stated the one algorithm that the key is for, where it says so */
const publicKey = (kid: string, { kty, crv, n, e, x, y }: Members, stated?: unknown): PublicKey | undefined => {
  const type = keyTypeOf(kty, crv);
  if (!type || (type === 'RSA' && !(isOfGoodLength(n) && isGoodExponent(e)))) return undefined;
  // Only the members of the public key: any other could change what is imported.
  const members = type === 'RSA' ? { kty, n, e } : { kty, crv, x, ...(kty === 'EC' ? { y } : {}) };
  const imported = new Map<string, Promise<Imported>>();
  return {
    kid,
    allows: (algorithm) => allows(type, algorithm) && (stated === undefined || stated === algorithm),
    signed: async (token, algorithm) => {
      try {
        let key = imported.get(algorithm);
        if (!key) imported.set(algorithm, (key = importJWK(members as JWK, algorithm))); // members of another type are refused by the import
        await compactVerify(token, await key, { algorithms: [algorithm] });
        return true;
      } catch {
        return false;
      }
    },
  };
};
