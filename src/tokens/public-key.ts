import type { JWK } from 'jose';
import { compactVerify } from 'jose/jws/compact/verify';
import { importJWK } from 'jose/key/import';
import type { Certificate } from '../pki/certificate.ts';
import { bitLength } from '../pki/der.ts';
import { keyIn, signingAlgorithmOf } from '../pki/keys.ts';
import { type Reading, readBase64 } from '../pki/pem.ts';
import { MAX_EXPONENT_BITS, RSA_BITS } from '../pki/strength.ts';

/** Kinds of public keys that may sign tokens. */
export type KeyType = 'RSA' | 'P-256' | 'P-384' | 'P-521' | 'Ed25519';

/**
 * The algorithms of each kind of key (RFC 7518, section 3.1; RFC 8037). Only the key determines which are possible, which prevents algorithm confusion:
 * a token cannot choose one that misuses the key. `none` and shared-secret algorithms (HS256, ...) are never allowed.
 */
const ALGORITHMS: Readonly<Record<KeyType, readonly string[]>> = {
  RSA: ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  'P-256': ['ES256'],
  'P-384': ['ES384'],
  'P-521': ['ES512'],
  Ed25519: ['EdDSA', 'Ed25519'],
};

const algorithmsOf = (type: KeyType): readonly string[] => ALGORITHMS[type];
const allows = (type: KeyType, algorithm: string): boolean => ALGORITHMS[type].includes(algorithm);

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
  /** True if its members form a valid key. */
  isReadable(): Promise<boolean>;
  /** True if it signed the token with the algorithm, which it must allow. Never throws. */
  signed(token: string, algorithm: string): Promise<boolean>;
}

type Members = Readonly<Record<string, unknown>>;
type Imported = Awaited<ReturnType<typeof importJWK>>;

/** Uses of keys that sign tokens (RFC 7517, section 4.2; SPIFFE Trust Domain and Bundle, section 4.2.2). */
const SIGNING_USES: readonly unknown[] = ['sig', 'jwt-svid'];

/**
 * The key of an entry of a key set (RFC 7517). If the entry has a certificate, only the certificate's key is used and nothing else of it is checked, because
 * the key set itself is trusted. Null and empty members count as absent, because some identity servers write all possible members.
 * @returns the key, or a sentence that explains why it cannot verify tokens here
 */
export const keyOfJwk = async (jwk: Members): Promise<Reading<PublicKey, string>> => {
  const given: Members = Object.fromEntries(Object.entries(jwk).filter(([, value]) => !isEmpty(value)));
  const { kid, use, key_ops: operations, x5c, alg } = given;
  if (typeof kid !== 'string') return { fault: 'it has no kid' };
  if (use !== undefined && !SIGNING_USES.includes(use)) return { fault: 'its use is not sig' };
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes('verify')))
    return { fault: 'its key_ops do not have verify' };
  if (x5c === undefined) return importable(publicKey(kid, given, alg));
  const certificate = certificateIn(x5c);
  const key = certificate && (await keyIn(certificate));
  const members = key && (await membersOf(key));
  return members ? publicKey(kid, members, alg) : { fault: 'its x5c does not begin with a certificate of a key that is accepted' };
};

/** Checks that the members form a key. Not needed for the key of a certificate, whose members come from the runtime. */
const importable = async (read: Reading<PublicKey, string>): Promise<Reading<PublicKey, string>> =>
  read.value && !(await read.value.isReadable()) ? { fault: 'its members are not a key of its type' } : read;

const isEmpty = (value: unknown): boolean => value === null || value === '' || (Array.isArray(value) && value.every(isEmpty));

/** The certificate of the key, which is the first of its chain (RFC 7517, section 4.7). The others are not read. */
const certificateIn = (chain: unknown): Uint8Array<ArrayBuffer> | undefined => {
  const [first]: readonly unknown[] = Array.isArray(chain) ? chain : [];
  return typeof first === 'string' ? readBase64(first) : undefined;
};

/** The key of a certificate. */
export const keyOfCertificate = async (kid: string, certificate: Certificate): Promise<Reading<PublicKey, string>> => {
  const members = await membersOf(certificate.parsed.publicKey);
  return members ? publicKey(kid, members) : { fault: 'the runtime does not take the key of its certificate' };
};

const membersOf = async (publicKey: Certificate['parsed']['publicKey']): Promise<Members | undefined> => {
  const algorithm = signingAlgorithmOf(publicKey);
  if (!algorithm) return undefined;
  try {
    const key = await crypto.subtle.importKey('spki', publicKey.rawData, algorithm, true, ['verify']);
    return { ...(await crypto.subtle.exportKey('jwk', key)) };
  } catch {
    return undefined; // a key that the runtime does not accept, e.g. one for PSS only
  }
};

/** Maximum length of a modulus in characters; longer ones are not decoded. */
const MAX_MODULUS = Math.ceil((RSA_BITS.max / 8) * (4 / 3));

const bitsIn = (base64url: string): number => {
  const bytes = readBase64(base64url.replaceAll('-', '+').replaceAll('_', '/'));
  return bytes ? bitLength(bytes) : 0;
};

/** True if the value is a public exponent, in base64url, that makes verification cheap. */
const isGoodExponent = (exponent: unknown): boolean => {
  const bits = typeof exponent === 'string' && exponent.length <= MAX_MODULUS ? bitsIn(exponent) : 0;
  return bits > 1 && bits <= MAX_EXPONENT_BITS;
};

/** True if the value is the modulus of an RSA key, in base64url, of an accepted length. */
const isOfGoodLength = (modulus: unknown): boolean => {
  const bits = typeof modulus === 'string' && modulus.length <= MAX_MODULUS ? bitsIn(modulus) : 0;
  return bits >= RSA_BITS.min && bits <= RSA_BITS.max;
};

/** @param stated the only algorithm that the key is for, if it states one */
const publicKey = (kid: string, { kty, crv, n, e, x, y }: Members, stated?: unknown): Reading<PublicKey, string> => {
  const type = keyTypeOf(kty, crv);
  if (!type) return { fault: 'its kty and crv are none of RSA, P-256, P-384, P-521 and Ed25519' };
  if (type === 'RSA' && !isOfGoodLength(n)) return { fault: `its modulus n is none of ${RSA_BITS.min} to ${RSA_BITS.max} bits` };
  if (type === 'RSA' && !isGoodExponent(e)) return { fault: `its exponent e is none of 2 to ${MAX_EXPONENT_BITS} bits` };
  // Only the members of the public key: any other member could change what is imported.
  const members = type === 'RSA' ? { kty, n, e } : { kty, crv, x, ...(kty === 'EC' ? { y } : {}) };
  const imported = new Map<string, Promise<Imported>>();
  const importedFor = (algorithm: string): Promise<Imported> => {
    let key = imported.get(algorithm);
    if (!key) imported.set(algorithm, (key = importJWK(members as JWK, algorithm))); // the import refuses members of the wrong type
    return key;
  };
  const key: PublicKey = {
    kid,
    allows: (algorithm) => allows(type, algorithm) && (stated === undefined || stated === algorithm),
    isReadable: () =>
      importedFor(algorithmsOf(type)[0] ?? '').then(
        () => true,
        () => false,
      ),
    signed: async (token, algorithm) => {
      try {
        await compactVerify(token, await importedFor(algorithm), { algorithms: [algorithm] });
        return true;
      } catch {
        return false;
      }
    },
  };
  return { value: key };
};
