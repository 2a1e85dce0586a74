import type { JWK } from 'jose';
import { compactVerify } from 'jose/jws/compact/verify';
import { importJWK } from 'jose/key/import';
import { decodeBase64 } from '../../runtime/platform/base64.ts';
import type { Certificate } from '../pki/certificate.ts';
import { bitLength } from '../pki/der.ts';
import { readPublicKey, signingAlgorithmOf } from '../pki/keys.ts';
import type { Reading } from '../pki/pem.ts';
import { MAX_EXPONENT_BITS, RSA_BITS } from '../pki/strength.ts';

/** Kinds of public keys that may sign tokens. */
export type KeyType = 'RSA' | 'P-256' | 'P-384' | 'P-521' | 'Ed25519';

/**
 * The algorithms of each kind of key (RFC 7518, section 3.1; RFC 8037). Only the key determines the possible algorithms, which prevents
 * algorithm confusion: a token cannot select one that misuses the key. `none` and shared-secret algorithms (HS256, ...) are never allowed.
 */
const ALGORITHMS: Readonly<Record<KeyType, readonly string[]>> = {
  RSA: ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  'P-256': ['ES256'],
  'P-384': ['ES384'],
  'P-521': ['ES512'],
  Ed25519: ['EdDSA', 'Ed25519'],
};

const algorithmsOf = (type: KeyType): readonly string[] => ALGORITHMS[type];

/** The kind of a key, by its members `kty` and `crv` (RFC 7517, RFC 7518); undefined for kinds that may not sign tokens. */
const keyTypeOf = (kty: unknown, crv: unknown): KeyType | undefined => {
  if (kty === 'RSA') return 'RSA';
  if (kty === 'EC') return crv === 'P-256' || crv === 'P-384' || crv === 'P-521' ? crv : undefined;
  return kty === 'OKP' && crv === 'Ed25519' ? crv : undefined;
};

/** A key that verifies the signatures of tokens. */
export interface PublicKey {
  readonly kid: string;
  /** True if the key is for this algorithm. */
  allows(algorithm: string): boolean;
  /** Resolves to true if its members form a valid key. */
  isReadable(): Promise<boolean>;
  /** Resolves to true if the key signed the token with this algorithm, which it must allow. Never rejects. */
  hasSigned(token: string, algorithm: string): Promise<boolean>;
}

type Members = Readonly<Record<string, unknown>>;
type Imported = Awaited<ReturnType<typeof importJWK>>;

/** Uses of keys that sign tokens (RFC 7517, section 4.2; SPIFFE Trust Domain and Bundle, section 4.2.2). */
const SIGNING_USES: readonly unknown[] = ['sig', 'jwt-svid'];

/**
 * Reads a key of a key set (RFC 7517). If it has a certificate, only the certificate's key is used, without further checks, because the key
 * set itself is trusted. Null and empty members count as absent, because some identity providers write all possible members.
 * @returns the key, or a description of why it cannot verify tokens
 */
export const keyOfJwk = async (jwk: Members): Promise<Reading<PublicKey, string>> => {
  const members: Members = Object.fromEntries(Object.entries(jwk).filter(([, value]) => !isEmpty(value)));
  const { kid, use, key_ops: operations, x5c, alg } = members;
  if (typeof kid !== 'string') return { fault: 'it has no kid' };
  if (use !== undefined && !SIGNING_USES.includes(use)) return { fault: 'its use is not sig' };
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes('verify')))
    return { fault: 'its key_ops do not include verify' };
  if (x5c === undefined) return checkImport(createPublicKey(kid, members, alg));
  const certificate = certificateIn(x5c);
  const key = certificate && (await readPublicKey(certificate));
  const certified = key && (await exportMembers(key));
  return certified ? createPublicKey(kid, certified, alg) : { fault: 'its x5c does not begin with a certificate of an accepted key' };
};

/** Checks that the members form a key. Not needed for the key of a certificate, whose members come from the runtime. */
const checkImport = async (read: Reading<PublicKey, string>): Promise<Reading<PublicKey, string>> =>
  read.value && !(await read.value.isReadable()) ? { fault: 'its members are not a key of its type' } : read;

const isEmpty = (value: unknown): boolean => value === null || value === '' || (Array.isArray(value) && value.every(isEmpty));

/** Decodes the certificate of the key, which is the first one of its chain (RFC 7517, section 4.7). */
const certificateIn = (chain: unknown): Uint8Array<ArrayBuffer> | undefined => {
  const [first]: readonly unknown[] = Array.isArray(chain) ? chain : [];
  return typeof first === 'string' ? decodeBase64(first) : undefined;
};

/** The key of a certificate. */
export const keyOfCertificate = async (kid: string, certificate: Certificate): Promise<Reading<PublicKey, string>> => {
  const members = await exportMembers(certificate.parsed.publicKey);
  return members ? createPublicKey(kid, members) : { fault: 'the runtime does not support the key of its certificate' };
};

const exportMembers = async (publicKey: Certificate['parsed']['publicKey']): Promise<Members | undefined> => {
  const algorithm = signingAlgorithmOf(publicKey);
  if (!algorithm) return undefined;
  try {
    const key = await crypto.subtle.importKey('spki', publicKey.rawData, algorithm, true, ['verify']);
    return { ...(await crypto.subtle.exportKey('jwk', key)) };
  } catch {
    return undefined; // a key that the runtime does not accept, e.g. one for PSS only
  }
};

/** Maximum length of a modulus in characters. Longer ones are not decoded. */
const MAX_MODULUS = Math.ceil((RSA_BITS.max / 8) * (4 / 3));

const bitsIn = (base64url: string): number => {
  const bytes = decodeBase64(base64url.replaceAll('-', '+').replaceAll('_', '/'));
  return bytes ? bitLength(bytes) : 0;
};

/** True if the value is a public exponent, in base64url, of an accepted length. */
const isAcceptedExponent = (exponent: unknown): boolean => {
  const bits = typeof exponent === 'string' && exponent.length <= MAX_MODULUS ? bitsIn(exponent) : 0;
  return bits > 1 && bits <= MAX_EXPONENT_BITS;
};

/** True if the value is the modulus of an RSA key, in base64url, of an accepted length. */
const isAcceptedModulus = (modulus: unknown): boolean => {
  const bits = typeof modulus === 'string' && modulus.length <= MAX_MODULUS ? bitsIn(modulus) : 0;
  return bits >= RSA_BITS.min && bits <= RSA_BITS.max;
};

/** @param alg the only algorithm for which the key may be used. Default: all algorithms of its type */
const createPublicKey = (kid: string, { kty, crv, n, e, x, y }: Members, alg?: unknown): Reading<PublicKey, string> => {
  const type = keyTypeOf(kty, crv);
  if (!type) return { fault: 'its kty and crv are not one of RSA, P-256, P-384, P-521 and Ed25519' };
  if (type === 'RSA' && !isAcceptedModulus(n)) return { fault: `its modulus n does not have ${RSA_BITS.min} to ${RSA_BITS.max} bits` };
  if (type === 'RSA' && !isAcceptedExponent(e)) return { fault: `its exponent e does not have 2 to ${MAX_EXPONENT_BITS} bits` };
  // Only the members of the public key: any other member could change what is imported.
  const members = type === 'RSA' ? { kty, n, e } : { kty, crv, x, ...(kty === 'EC' ? { y } : {}) };
  const imports = new Map<string, Promise<Imported>>();
  const importFor = (algorithm: string): Promise<Imported> => {
    let key = imports.get(algorithm);
    if (!key) {
      key = importJWK(members as JWK, algorithm); // rejects members of the wrong type
      imports.set(algorithm, key);
    }
    return key;
  };
  const key: PublicKey = {
    kid,
    allows: (algorithm) => algorithmsOf(type).includes(algorithm) && (alg === undefined || alg === algorithm),
    isReadable: () =>
      importFor(algorithmsOf(type)[0] ?? '').then(
        () => true,
        () => false,
      ),
    hasSigned: async (token, algorithm) => {
      try {
        await compactVerify(token, await importFor(algorithm), { algorithms: [algorithm] });
        return true;
      } catch {
        return false;
      }
    },
  };
  return { value: key };
};
