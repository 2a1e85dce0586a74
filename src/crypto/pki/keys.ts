import type { Certificate } from './certificate.ts';
import { countElements, spkiOf } from './der.ts';
import { isOneSequence, MAX_DER, writePem } from './pem.ts';
import { keyFaultText, readPrivateKey } from './private-key.ts';
import { ACCEPTED_KEYS, keyWeakness } from './strength.ts';
import { x509 } from './x509.ts';

/** A Web Crypto key. The name of this type differs between runtimes. */
export type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** A signature algorithm of Web Crypto, and its JOSE name (RFC 7518, RFC 8037). */
export interface SigningAlgorithm {
  readonly name: string;
  readonly namedCurve?: string;
  readonly hash?: string;
  readonly jose: string;
}

const P256: SigningAlgorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256', jose: 'ES256' };
const ECDSA: Readonly<Record<string, SigningAlgorithm>> = {
  'P-256': P256,
  'P-384': { name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384', jose: 'ES384' },
  'P-521': { name: 'ECDSA', namedCurve: 'P-521', hash: 'SHA-512', jose: 'ES512' },
};
const RSA: SigningAlgorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', jose: 'RS256' };
const ED25519: SigningAlgorithm = { name: 'Ed25519', jose: 'EdDSA' };

/** The library's description of a public key. */
interface KeyAlgorithm {
  readonly name: string;
  readonly namedCurve?: string;
}

/**
 * The signature algorithm for a public key.
 * @returns undefined for a key that is not one of `ACCEPTED_KEYS`
 * @internal
 */
export const signingAlgorithmOf = (publicKey: Certificate['parsed']['publicKey']): SigningAlgorithm | undefined => {
  if (keyWeakness({ publicKey })) return undefined;
  const { name, namedCurve }: KeyAlgorithm = publicKey.algorithm;
  if (name === 'ECDSA') return ECDSA[namedCurve ?? ''];
  return name.startsWith('RSA') ? RSA : ED25519;
};

/** Maximum number of elements (X.690) in a public key: supported keys have up to seven. */
const MAX_KEY_ELEMENTS = 10;

/**
 * Reads only the public key of a certificate, for callers that use nothing else of it. Other fields are not parsed, so there may be any
 * number of them.
 * @returns undefined if the bytes are not a certificate, or its key is invalid
 * @internal
 */
export const readPublicKey = async (certificate: Uint8Array): Promise<Certificate['parsed']['publicKey'] | undefined> => {
  const spki = certificate.length <= MAX_DER && isOneSequence(certificate) ? spkiOf(certificate) : undefined;
  if (!spki || countElements(spki, MAX_KEY_ELEMENTS) > MAX_KEY_ELEMENTS) return undefined;
  const library = await x509();
  try {
    return new library.PublicKey(new Uint8Array(spki));
  } catch {
    return undefined; // the library throws all kinds of errors for invalid bytes
  }
};

/** A private key to sign with. It may be outside the process, e.g. in an HSM. */
export interface KeyHolder {
  readonly algorithm: SigningAlgorithm;
  /** Returns a signature in the format of Web Crypto: for ECDSA, r and s concatenated. */
  sign(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>>;
}

/**
 * The signature algorithm for the key of a certificate.
 * @throws TypeError for an unsupported key
 */
const algorithmOf = ({ parsed, subject }: Certificate): SigningAlgorithm => {
  const algorithm = signingAlgorithmOf(parsed.publicKey);
  if (!algorithm) throw new TypeError(`the key of ${subject} must be ${ACCEPTED_KEYS}`);
  return algorithm;
};

/**
 * Creates a key holder that signs with a function of the host.
 * @throws TypeError for a certificate with an unsupported key
 */
export const foreignKeyHolder = (sign: KeyHolder['sign'], certificate: Certificate): KeyHolder => ({
  algorithm: algorithmOf(certificate),
  sign,
});

/**
 * Creates a key holder that signs with a private key in PEM: PKCS#8, PKCS#1 or SEC 1.
 * @throws TypeError for an invalid key, or one that does not match the certificate
 */
export const keyHolder = async (pem: string, certificate: Certificate): Promise<KeyHolder & { readonly key: Key }> => {
  const algorithm = algorithmOf(certificate);
  const { value: der, fault } = readPrivateKey(pem);
  if (!der)
    throw new TypeError(
      `the private key of ${certificate.subject} must be a single unencrypted PEM block (PKCS#8, PKCS#1 or SEC 1): ${keyFaultText(fault)}`,
    );
  const key = await crypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign']).catch(() => undefined);
  const holder = key && {
    algorithm,
    key,
    sign: async (bytes: Uint8Array<ArrayBuffer>) => new Uint8Array(await crypto.subtle.sign(algorithm, key, bytes)),
  };
  if (!holder || !(await matches(holder, certificate)))
    throw new TypeError(`the private key does not match the certificate of ${certificate.subject}`);
  return holder;
};

const PROBE = new TextEncoder().encode('Whose key is it?');

/** True if signatures of the key holder are valid under the key of the certificate. */
const matches = async (holder: KeyHolder, { parsed }: Certificate): Promise<boolean> => {
  const { algorithm } = holder;
  const publicKey = await parsed.publicKey.export(algorithm, ['verify']);
  return crypto.subtle.verify(algorithm, publicKey, await holder.sign(PROBE), PROBE);
};

/** Creates a P-256 key pair: the public key, the private key as PKCS#8 in PEM, and a function that signs with it. */
export const newKeyPair = async (): Promise<{
  readonly publicKey: Key;
  readonly privateKey: string;
  readonly holder: KeyHolder;
}> => {
  const { publicKey, privateKey } = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
  return {
    publicKey,
    privateKey: writePem('PRIVATE KEY', new Uint8Array(await crypto.subtle.exportKey('pkcs8', privateKey))),
    holder: { algorithm: P256, sign: async (bytes) => new Uint8Array(await crypto.subtle.sign(P256, privateKey, bytes)) },
  };
};
