import type { Certificate } from './certificate.ts';
import { rsaBitsOf } from './der.ts';

type Parsed = Certificate['parsed'];

const CURVES = ['P-256', 'P-384', 'P-521'];
const HASHES = ['SHA-256', 'SHA-384', 'SHA-512'];

/** The library's description of keys and signatures. */
interface Algorithm {
  readonly name: string;
  readonly namedCurve?: string;
  readonly hash?: { readonly name: string } | string;
}

/** Minimum and maximum bit length of RSA keys: verifying signatures with longer keys is too expensive. */
export const RSA_BITS = { min: 2048, max: 8192 } as const;
/** Maximum bit length of RSA exponents, for the same reason. */
export const MAX_EXPONENT_BITS = 32;

/** The accepted keys, in words. */
export const ACCEPTED_KEYS = `RSA of ${RSA_BITS.min} to ${RSA_BITS.max} bits (with an exponent of ${MAX_EXPONENT_BITS} bits at most), P-256, P-384, P-521 or Ed25519`;

/** True if an RSA key, in DER, has 2048 to 8192 bits and an exponent of at most 32 bits. */
export const isAcceptedRsa = (spki: ArrayBuffer): boolean => {
  const { modulus, exponent } = rsaBitsOf(new Uint8Array(spki)) ?? { modulus: 0, exponent: 0 };
  return modulus >= RSA_BITS.min && modulus <= RSA_BITS.max && exponent <= MAX_EXPONENT_BITS;
};

const isEd25519 = ({ name, namedCurve }: Algorithm): boolean => name === 'Ed25519' || (name === 'EdDSA' && namedCurve === 'Ed25519');

/**
 * Describes why the key of a certificate or request is too weak (NIST SP 800-57, part 1, section 5.6.1).
 * @returns undefined for a key that is strong enough
 */
export const keyWeakness = ({ publicKey }: Pick<Parsed, 'publicKey'>): string | undefined => {
  const algorithm: Algorithm = publicKey.algorithm;
  const isStrong = algorithm.name.startsWith('RSA')
    ? isAcceptedRsa(publicKey.rawData)
    : isEd25519(algorithm) || (algorithm.name === 'ECDSA' && CURVES.includes(algorithm.namedCurve ?? ''));
  return isStrong ? undefined : `the key must be ${ACCEPTED_KEYS}`;
};

/**
 * Describes why the signature of a certificate is too weak: SHA-1 and older hashes can be forged.
 * @returns undefined for a signature that is strong enough
 */
export const signatureWeakness = ({ signatureAlgorithm }: Pick<Parsed, 'signatureAlgorithm'>): string | undefined => {
  const algorithm = signatureAlgorithm as Algorithm; // the library's type lacks the name
  const hash = typeof algorithm.hash === 'object' ? algorithm.hash.name : algorithm.hash;
  const isStrong = isEd25519(algorithm) || (/^(RSA|ECDSA)/.test(algorithm.name) && HASHES.includes(hash ?? ''));
  return isStrong ? undefined : 'the signature must be made with SHA-256, SHA-384 or SHA-512, or by Ed25519';
};
