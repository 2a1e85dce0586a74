import type { Certificate } from './certificate.ts';
import { countElements, spkiOf } from './der.ts';
import { isOneSequence, MAX_DER, writePem } from './pem.ts';
import { keyFaultText, readPrivateKey } from './private-key.ts';
import { keyWeakness } from './strength.ts';
import { x509 } from './x509.ts';

/** A Web Crypto key. Runtimes disagree on the name of this type. */
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
 * @returns undefined for an unsupported key; RSA with 2048 to 8192 bits, P-256, P-384, P-521 and Ed25519 are supported
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
 * The public key of a certificate that is not trusted otherwise. The rest of the certificate is not parsed, so its size does not matter.
 * @returns undefined if it is not a certificate, or contains no key
 * @internal
 */
export const keyIn = async (certificate: Uint8Array): Promise<Certificate['parsed']['publicKey'] | undefined> => {
  const spki = certificate.length <= MAX_DER && isOneSequence(certificate) ? spkiOf(certificate) : undefined;
  if (!spki || countElements(spki, MAX_KEY_ELEMENTS) > MAX_KEY_ELEMENTS) return undefined;
  const library = await x509();
  try {
    return new library.PublicKey(new Uint8Array(spki));
  } catch {
    return undefined; // the library throws all kinds of errors for invalid bytes
  }
};

/** Signs with a key that may be held outside the process. */
export interface KeyHolder {
  readonly algorithm: SigningAlgorithm;
  /** Returns a signature in the format of Web Crypto: for ECDSA, r and s concatenated. */
  sign(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>>;
}

/** The signature algorithm for the key of a certificate. @throws TypeError for an unsupported key */
const algorithmOf = ({ parsed, subject }: Certificate): SigningAlgorithm => {
  const algorithm = signingAlgorithmOf(parsed.publicKey);
  if (!algorithm) throw new TypeError(`the key of ${subject} must be RSA of 2048 to 8192 bits, P-256, P-384, P-521 or Ed25519`);
  return algorithm;
};

/** A key holder that signs with a function of the host. @throws TypeError for a certificate with an unsupported key */
export const foreignKeyHolder = (sign: KeyHolder['sign'], certificate: Certificate): KeyHolder => ({
  algorithm: algorithmOf(certificate),
  sign,
});

/** A key holder that signs with a private key in PEM: PKCS#8, PKCS#1 or SEC 1. @throws TypeError for an invalid key, or one that does not match the certificate */
export const keyHolder = async (pem: string, certificate: Certificate): Promise<KeyHolder & { readonly key: Key }> => {
  const algorithm = algorithmOf(certificate);
  const { value: der, fault } = readPrivateKey(pem);
  if (!der)
    throw new TypeError(
      `the private key of ${certificate.subject} must be one block in PEM, PKCS#8, PKCS#1 or SEC 1, unencrypted: ${keyFaultText(fault)}`,
    );
  const key = await crypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign']).catch(() => undefined);
  const holder = key && {
    algorithm,
    key,
    sign: async (bytes: Uint8Array<ArrayBuffer>) => new Uint8Array(await crypto.subtle.sign(algorithm, key, bytes)),
  };
  if (!holder || !(await belongs(holder, certificate)))
    throw new TypeError(`the private key is not the one of the certificate of ${certificate.subject}`);
  return holder;
};

const PROBE = new TextEncoder().encode('Whose key is it?');

const belongs = async (holder: KeyHolder, { parsed }: Certificate): Promise<boolean> => {
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
